// A loop waits for a write that nobody is left to make.
// leno: verdict=bug kind=termination object=flag
// leno[--property race]: verdict=safe
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
    pthread_join(thread, NULL);
    return 0;
}
