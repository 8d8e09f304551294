// Threads insert numbers into a hash table with linear probing. From 12 threads on some of
// them meet in a slot: 3 meetings for each thread beyond the eleventh.
// leno[--symmetry off]: cflags=-DTHREADS=11 verdict=safe executions=1
// leno[--symmetry off]: cflags=-DTHREADS=12 verdict=safe executions=8
// leno[--symmetry off]: cflags=-DTHREADS=13 verdict=safe executions=64 blocked=0
// leno[--symmetry off]: cflags=-DTHREADS=14 verdict=safe executions=512 blocked=0
// leno[--symmetry off]: cflags=-DTHREADS=15 verdict=safe executions=4096 blocked=0
// leno[--symmetry off]: cflags=-DTHREADS=16 verdict=safe executions=32768 blocked=0
#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 128, MESSAGES = 4 };

static atomic_int table[SLOTS];

static void *insert(void *argument)
{
    int thread = (int)(long)argument;
    for (int m = 1; m <= MESSAGES; m++) {
        int w = 11 * m + thread;
        int slot = 7 * w % SLOTS;
        int empty = 0;
        while (!atomic_compare_exchange_strong(&table[slot], &empty, w)) {
            slot = (slot + 1) % SLOTS;
            empty = 0;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, insert, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
