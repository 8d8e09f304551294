// The same loop with somebody to end it.
// leno: verdict=safe coverage=exhaustive
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *wait(void *unused)
{
    while (!atomic_load(&flag))
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    atomic_store(&flag, 1);
    pthread_join(thread, NULL);
    return 0;
}
