// Dekker's mutual exclusion of two threads.
// leno[--symmetry off]: verdict=safe executions=4 blocked=8
// leno[--symmetry off --search source]: verdict=safe executions=4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int inside;

static void *work(void *argument)
{
    int me = (int)(long)argument;
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[1 - me])) {
        if (atomic_load(&turn) != me) {
            atomic_store(&wants[me], 0);
            while (atomic_load(&turn) != me)
                ;
            atomic_store(&wants[me], 1);
        }
    }
    assert(inside++ == 0);
    inside--;
    atomic_store(&turn, 1 - me);
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
