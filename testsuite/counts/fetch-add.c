// Three increments of one atomic by three threads: 3! orders.
// leno[--symmetry off]: verdict=safe executions=6
// leno[--symmetry off --property assert]: verdict=safe executions=6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *work(void *unused)
{
    atomic_fetch_add(&counter, 1);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 3);
}
