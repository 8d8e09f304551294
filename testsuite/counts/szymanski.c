// Szymanski's mutual exclusion of two threads: a waiting room with a door.
// leno[--symmetry off]: verdict=safe executions=29 blocked=95
// leno[--symmetry off --search source]: verdict=safe executions=29
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];
static int inside;

static void *work(void *argument)
{
    int me = (int)(long)argument;
    atomic_store(&flag[me], 1);
    while (atomic_load(&flag[1 - me]) >= 3)
        ;
    atomic_store(&flag[me], 3);
    if (atomic_load(&flag[1 - me]) == 1) {
        atomic_store(&flag[me], 2);
        while (atomic_load(&flag[1 - me]) != 4)
            ;
    }
    atomic_store(&flag[me], 4);
    if (me == 1)
        while (atomic_load(&flag[0]) >= 2)
            ;
    assert(inside++ == 0);
    inside--;
    if (me == 0)
        for (int other; (other = atomic_load(&flag[1])) == 2 || other == 3;)
            ;
    atomic_store(&flag[me], 0);
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
