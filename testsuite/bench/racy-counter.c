// Three threads count without a lock, by a load and a store each time. APART: each adds a
// number of its own.
// leno[--symmetry off]: cflags="-DTIMES=1 -O2" verdict=safe executions=36
// leno[--symmetry off]: cflags="-DTIMES=2 -O2" verdict=safe executions=7134 blocked=0
// leno[--symmetry on]: cflags="-DTIMES=1 -O2" verdict=safe executions=6
// leno[--symmetry on]: cflags="-DTIMES=2 -DAPART -O2" verdict=safe executions=7134 blocked=0
#include <pthread.h>
#include <stdatomic.h>

#ifndef TIMES
#define TIMES 2
#endif
#define THREADS 3

static atomic_int counter;

static void *count(void *argument)
{
    for (int i = 0; i < TIMES; i++)
        atomic_store(&counter, atomic_load(&counter) + (int)(long)argument);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) {
#ifdef APART
        pthread_create(&threads[i], 0, count, (void *)(i + 1));
#else
        pthread_create(&threads[i], 0, count, (void *)1);
#endif
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
