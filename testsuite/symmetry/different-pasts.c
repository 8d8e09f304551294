// Two threads do the same, but what main does comes before one of them and not before the other
// (docs/symmetry.md). Whichever is explored first, it is the one created first that fails.
// leno[--symmetry off]: verdict=bug kind=assert
// leno[--symmetry on]: verdict=bug kind=assert
// leno[--symmetry on --search source]: verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken, ready;

static void *use(void *unused)
{
    if (atomic_exchange(&taken, 1) == 0)
        assert(atomic_load(&ready) == 1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, use, NULL);
    atomic_store(&ready, 1);
    pthread_create(&threads[1], NULL, use, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
