// volatile orders nothing between threads.
// leno: verdict=bug kind=race object=ready
#include <pthread.h>

static volatile int ready;

static void *publish(void *unused)
{
    ready = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    if (ready)
        return pthread_join(thread, NULL);
    pthread_join(thread, NULL);
    return 0;
}
