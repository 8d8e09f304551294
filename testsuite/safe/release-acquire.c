// The same with release and acquire: no race, and the reader sees the data.
// leno: verdict=safe executions=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *publish(void *unused)
{
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    if (atomic_load_explicit(&ready, memory_order_acquire))
        assert(data == 42);
    pthread_join(thread, NULL);
    return 0;
}
