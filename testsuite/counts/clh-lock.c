// The queue lock of Craig, Landin and Hagersten: each waits on the node before its own.
// leno[--symmetry off]: cflags=-DN=2 verdict=safe executions=2 blocked=2
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=6 blocked=12
// leno[--symmetry off --search source]: cflags=-DN=2 verdict=safe executions=2
// leno[--symmetry off --search source]: cflags=-DN=3 verdict=safe executions=6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int locked[N + 1];
static _Atomic(atomic_int *) tail = &locked[N];
static int inside;

static void *work(void *argument)
{
    atomic_int *own = argument;
    atomic_store(own, 1);
    atomic_int *before = atomic_exchange(&tail, own);
    while (atomic_load(before))
        ;
    assert(inside++ == 0);
    inside--;
    atomic_store(own, 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, &locked[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
