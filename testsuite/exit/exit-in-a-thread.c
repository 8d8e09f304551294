// A thread ends the process; a status that is not 0 is a bug only if one asks.
// leno: verdict=safe
// leno[--property exit]: verdict=bug kind=exit
#include <pthread.h>
#include <stdlib.h>

static void *leave(void *unused)
{
    (void)unused;
    exit(3);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
    return 0;
}
