// A detached thread finishes by itself; main's return waits for it.
// leno: verdict=safe executions=2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *unused)
{
    atomic_store(&x, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    atomic_load(&x);
    return 0;
}
