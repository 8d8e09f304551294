// Peterson's mutual exclusion of two threads, each ROUNDS times.
// leno[--symmetry off]: cflags=-DROUNDS=1 verdict=safe executions=4 blocked=6
// leno[--symmetry off]: cflags=-DROUNDS=2 verdict=safe executions=48 blocked=88
// leno[--symmetry off --search source]: cflags=-DROUNDS=1 verdict=safe executions=4
// leno[--symmetry off --search source]: cflags=-DROUNDS=2 verdict=safe executions=48
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int inside;

static void *work(void *argument)
{
    int me = (int)(long)argument;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&wants[me], 1);
        atomic_store(&turn, 1 - me);
        while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me)
            ;
        assert(inside++ == 0);
        inside--;
        atomic_store(&wants[me], 0);
    }
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
