// Equal threads count without a lock, by a load and a store. With symmetry one order of the
// threads is left: a few of (N!)² executions.
// leno[--symmetry off]: cflags=-DN=2 verdict=safe executions=4 blocked=0
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=36 blocked=0
// leno[--symmetry off]: cflags=-DN=4 verdict=safe executions=576 blocked=0
// leno[--symmetry on]: cflags=-DN=2 verdict=safe executions=2
// leno[--symmetry on]: cflags=-DN=3 verdict=safe executions=6
// leno[--symmetry on]: cflags=-DN=4 verdict=safe executions=24
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *count(void *unused)
{
    atomic_store(&counter, atomic_load(&counter) + 1);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
