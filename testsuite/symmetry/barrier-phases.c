// Threads that compute in phases, with a barrier between them: in each phase they add to a
// sum under a lock, and all must have added before anybody looks. BUG: somebody looks early.
// leno[--symmetry off]: cflags="-DN=2 -DPHASES=2" verdict=safe executions=96
// leno[--symmetry off --search dpor]: cflags="-DN=2 -DPHASES=2" verdict=safe executions=96
// leno[--symmetry on]: cflags="-DN=2 -DPHASES=2" verdict=safe
// leno[--symmetry on]: cflags="-DN=3 -DPHASES=2" verdict=safe
// leno[--symmetry on]: cflags="-DN=3 -DPHASES=1 -DBUG" verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *compute(void *unused)
{
    for (int phase = 1; phase <= PHASES; phase++) {
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
#ifndef BUG
        pthread_barrier_wait(&barrier);
#endif
        pthread_mutex_lock(&lock);
        assert(sum >= phase * N);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    pthread_barrier_init(&barrier, NULL, N);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, compute, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
