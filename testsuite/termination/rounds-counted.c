// A waiting loop that counts its rounds, for nobody, or to give up. In the first case it
// is a wait all the same: nothing that it does depends on the count. A wait that nobody
// ends is reported; a loop that gives up ends by itself.
// leno: verdict=safe executions=1 blocked=3
// leno[--search source]: verdict=safe executions=1
// leno[--search naive]: verdict=safe
// leno: cflags=-O2 verdict=safe executions=1
// leno: cflags=-DNOBODY verdict=bug kind=termination object=flag
// leno: cflags="-DNOBODY -DGIVES_UP" verdict=safe executions=1
// leno: cflags=-DGIVES_UP verdict=safe coverage=exhaustive
// leno: cflags="-DNOBODY -DBY_REFERENCE -DGIVES_UP" verdict=safe executions=1
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void look(int *value, int *rounds)
{
    *value = atomic_load(&flag);
#ifdef GIVES_UP
    ++*rounds;
#endif
}

static void *waits(void *unused)
{
    int value, last, rounds = 0;
    do {
#ifdef BY_REFERENCE
        look(&value, &rounds);
#else
        value = atomic_load(&flag);
        rounds++;
#endif
        last = value;
#ifdef GIVES_UP
        if (rounds == 5)
            break;
#endif
    } while (last != 3);
    return unused;
}

static void *sets(void *unused)
{
#ifndef NOBODY
    for (int i = 1; i <= 3; i++)
        atomic_store(&flag, i);
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waits, NULL);
    pthread_create(&b, NULL, sets, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
