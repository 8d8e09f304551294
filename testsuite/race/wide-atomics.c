// Atomics of more than 16 bytes are atomic too, as libatomic has them; they publish,
// and what is plain beside them is a race.
// leno: cflags=-latomic verdict=safe
// leno: cflags="-latomic -O2" verdict=safe
// leno: cflags="-latomic -DORDER=memory_order_relaxed" verdict=bug kind=race object=data
// leno: cflags="-latomic -DPLAIN" verdict=bug kind=race object=record
// leno: cflags="-latomic -DUPDATE" verdict=safe
// leno: cflags="-latomic -DUPDATE -DLOAD_AND_STORE" verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_release
#endif

struct record {
    long words[5];
};

static _Atomic struct record record;
static int data;

#ifdef UPDATE
static void *work(void *unused)
{
    struct record old = atomic_load(&record), new;
    do {
        new = old;
        new.words[4]++;
#ifdef LOAD_AND_STORE
        atomic_store(&record, new);
        break;
#endif
    } while (!atomic_compare_exchange_weak(&record, &old, new));
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    struct record zero = {{0}};
    assert(atomic_exchange(&record, zero).words[4] == 2);
    return 0;
}
#else
static void *work(void *unused)
{
    if (!atomic_load_explicit(&record, memory_order_acquire).words[4])
        return NULL;
    return data ? unused : NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    struct record new = {{1, 2, 3, 4, 5}};
    data = 1;
#ifdef PLAIN
    *(struct record *)&record = new;
#else
    atomic_store_explicit(&record, new, ORDER);
#endif
    pthread_join(thread, NULL);
    return 0;
}
#endif
