/* zstd's thread pool: jobs that are added by two threads are all run, once each, before the
 * pool is gone. */
#include "common/pool.h"

#include <assert.h>
#include <pthread.h>

static POOL_ctx *pool;
static int done[2];

static void job(void *flag)
{
    ++*(int *)flag;
}

static void *add(void *unused)
{
    POOL_add(pool, job, &done[0]);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pool = POOL_create(1, 1);
    assert(pool);
    pthread_create(&thread, NULL, add, NULL);
    POOL_add(pool, job, &done[1]);
    pthread_join(thread, NULL);
    POOL_joinJobs(pool);
    assert(done[0] == 1 && done[1] == 1);
    POOL_free(pool);
    return 0;
}
