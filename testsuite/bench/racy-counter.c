// Three threads count without a lock, by a load and a store each time.
// leno: cflags="-DTIMES=1 -O2" verdict=safe executions=36
// leno: cflags="-DTIMES=2 -O2" verdict=safe executions=7134 blocked=0
// leno[--symmetry on]: cflags="-DTIMES=1 -O2" verdict=safe executions=6
#include <pthread.h>
#include <stdatomic.h>

#ifndef TIMES
#define TIMES 2
#endif
#define THREADS 3

static atomic_int counter;

static void *count(void *unused)
{
    for (int i = 0; i < TIMES; i++)
        atomic_store(&counter, atomic_load(&counter) + 1);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, count, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
