// One thread puts N items into a ring of four, another one takes them; no locks.
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=14 blocked=11
// leno[--symmetry off]: cflags=-DN=5 verdict=safe executions=492 blocked=307
// leno[--symmetry off --search source]: cflags=-DN=3 verdict=safe executions=14
// leno[--symmetry off --search source]: cflags=-DN=5 verdict=safe executions=492
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 4 };

static int ring[SIZE];
static atomic_uint put, taken;

static void *produce(void *unused)
{
    for (unsigned i = 0; i < N; i++) {
        while (i - atomic_load(&taken) == SIZE)
            ;
        ring[i % SIZE] = (int)i;
        atomic_store(&put, i + 1);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (unsigned i = 0; i < N; i++) {
        while (atomic_load(&put) == i)
            ;
        assert(ring[i % SIZE] == (int)i);
        atomic_store(&taken, i + 1);
    }
    return unused;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
