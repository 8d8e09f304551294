// Threads that create threads.
// leno[--symmetry off]: verdict=safe executions=2 threads=4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int leaves;

static void *leaf(void *unused)
{
    atomic_fetch_add(&leaves, 1);
    return unused;
}

static void *branch(void *unused)
{
    pthread_t a, b;
    pthread_create(&a, NULL, leaf, NULL);
    pthread_create(&b, NULL, leaf, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, branch, NULL);
    pthread_join(thread, NULL);
    assert(leaves == 2);
    return 0;
}
