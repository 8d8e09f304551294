// One writer and N readers of an atomic: each reader comes before or after the write.
// leno[--symmetry off]: cflags=-DN=1 verdict=safe executions=2
// leno[--symmetry off]: cflags=-DN=2 verdict=safe executions=4
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=8
// leno[--symmetry off]: cflags=-DN=4 verdict=safe executions=16
// leno[--symmetry off]: cflags=-DN=5 verdict=safe executions=32
// leno[--symmetry off]: cflags=-DN=6 verdict=safe executions=64
// leno[--symmetry off]: cflags=-DN=7 verdict=safe executions=128 blocked=0
// leno[--symmetry off]: cflags=-DN=8 verdict=safe executions=256 blocked=0
// leno[--symmetry off]: cflags=-DN=9 verdict=safe executions=512 blocked=0
// leno[--symmetry off]: cflags=-DN=10 verdict=safe executions=1024 blocked=0
// leno[--symmetry off]: cflags=-DN=11 verdict=safe executions=2048 blocked=0
// leno[--symmetry off]: cflags=-DN=12 verdict=safe executions=4096 blocked=0
// leno[--symmetry off]: cflags=-DN=13 verdict=safe executions=8192 blocked=0
// leno[--symmetry off]: cflags=-DN=14 verdict=safe executions=16384 blocked=0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *read_it(void *unused)
{
    (void)unused;
    atomic_load(&x);
    return NULL;
}

static void *write_it(void *unused)
{
    (void)unused;
    atomic_store(&x, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];
    for (int i = 0; i < N + 1; i++)
        pthread_create(&threads[i], NULL, i == 0 ? write_it : read_it, NULL);
    for (int i = 0; i < N + 1; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
