// A local variable of main, given to a thread by its address.
// leno: verdict=bug kind=race object=shared
#include <pthread.h>

static void *work(void *number)
{
    ++*(int *)number;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int shared = 0;
    pthread_create(&thread, NULL, work, &shared);
    shared = 7;
    pthread_join(thread, NULL);
    return 0;
}
