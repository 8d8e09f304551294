// A recursive mutex may be locked again by its holder.
// leno[--symmetry off]: verdict=safe executions=2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int depth;

static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    depth++;
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(depth == 2);
    return 0;
}
