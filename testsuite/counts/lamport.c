// Lamport's fast mutual exclusion of two threads.
// leno[--symmetry off]: verdict=safe executions=16 blocked=16
// leno[--symmetry off --search source]: verdict=safe executions=16
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], x, y;
static int inside;

static void *work(void *argument)
{
    int me = (int)(long)argument, other = 1 - me;
    for (;;) {
        atomic_store(&wants[me], 1);
        atomic_store(&x, me + 1);
        if (atomic_load(&y) != 0) {
            atomic_store(&wants[me], 0);
            while (atomic_load(&y) != 0)
                ;
            continue;
        }
        atomic_store(&y, me + 1);
        if (atomic_load(&x) == me + 1)
            break;
        atomic_store(&wants[me], 0);
        while (atomic_load(&wants[other]))
            ;
        if (atomic_load(&y) == me + 1)
            break;
        while (atomic_load(&y) != 0)
            ;
    }
    assert(inside++ == 0);
    inside--;
    atomic_store(&y, 0);
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
