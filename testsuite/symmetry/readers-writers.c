// Readers and writers of a record, with a read-write lock: the writers come in some order,
// and each reader before one of them or behind all. So w writers and r readers have
// w! (w + 1)^r traces, and if equal threads are not told apart, w + r over r. BUG: readers
// count themselves without a lock of their own.
// leno[--symmetry off]: cflags="-DWRITERS=2 -DREADERS=2" verdict=safe executions=18
// leno[--symmetry on]: cflags="-DWRITERS=2 -DREADERS=2" verdict=safe executions=6
// leno[--symmetry off]: cflags="-DWRITERS=2 -DREADERS=3" verdict=safe executions=54
// leno[--symmetry on]: cflags="-DWRITERS=2 -DREADERS=3" verdict=safe executions=10
// leno[--symmetry on]: cflags="-DWRITERS=1 -DREADERS=3 -DBUG" verdict=bug kind=race object=seen
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int low, high;
#ifdef BUG
static int seen;
#endif

static void *write_it(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    low++;
    high++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *read_it(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    assert(low == high);
#ifdef BUG
    seen++;
#endif
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[WRITERS + READERS];
    for (int i = 0; i < WRITERS + READERS; i++)
        pthread_create(&threads[i], NULL, i < WRITERS ? write_it : read_it, NULL);
    for (int i = 0; i < WRITERS + READERS; i++)
        pthread_join(threads[i], NULL);
    assert(low == WRITERS);
    return 0;
}
