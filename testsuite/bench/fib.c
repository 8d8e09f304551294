// Two threads add each other's number to their own: the largest sum that any interleaving
// gives is a Fibonacci number. The programs of this name in other suites are like it.
// leno[--symmetry off]: cflags="-DTIMES=4 -O2" verdict=safe executions=1107
// leno[--symmetry off]: cflags="-DTIMES=5 -O2" verdict=safe executions=8953 blocked=0
// leno[--symmetry off]: cflags="-DTIMES=6 -O2" verdict=safe executions=73789 blocked=0
// leno: cflags="-DTIMES=3 -O2 -DBELOW=1" verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef TIMES
#define TIMES 3
#endif

/* How far below the largest sum it is to stay. */
#ifndef BELOW
#define BELOW 0
#endif

static atomic_int first = 1, second = 1;

static void *add_to_first(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        int sum = atomic_load(&first) + atomic_load(&second);
        atomic_store(&first, sum);
    }
    return unused;
}

static void *add_to_second(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        int sum = atomic_load(&second) + atomic_load(&first);
        atomic_store(&second, sum);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    int before = 1, largest = 1;
    for (int i = 0; i < 2 * TIMES; i++) {
        int next = before + largest;
        before = largest;
        largest = next;
    }
    pthread_create(&a, 0, add_to_first, 0);
    pthread_create(&b, 0, add_to_second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    largest -= BELOW;
    assert(atomic_load(&first) <= largest && atomic_load(&second) <= largest);
    return 0;
}
