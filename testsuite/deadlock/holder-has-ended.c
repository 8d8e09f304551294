// A thread ends without unlocking.
// leno: verdict=bug kind=deadlock message="deadlock: main waits for ever" related~"m is held by T1 (work), which took it here and has ended, line 11"
// leno: cflags=-DUNLOCK verdict=safe
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&m);
#ifdef UNLOCK
    pthread_mutex_unlock(&m);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}
