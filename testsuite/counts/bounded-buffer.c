// Two producers and two consumers of ITEMS items each, and a buffer for one.
// leno[--symmetry off]: cflags=-DITEMS=1 verdict=safe executions=64 blocked=0
// leno[--symmetry off]: cflags=-DITEMS=2 verdict=safe executions=86336 blocked=0
// leno[--symmetry off --search source]: cflags=-DITEMS=1 verdict=safe executions=64
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int full;

static void *produce(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (full)
            pthread_cond_wait(&emptied, &lock);
        full = 1;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (!full)
            pthread_cond_wait(&filled, &lock);
        full = 0;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i < 2 ? produce : consume, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(!full);
    return 0;
}
