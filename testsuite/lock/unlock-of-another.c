// A mutex is unlocked by a thread that does not hold it: the other one does, or nobody.
// leno: verdict=bug kind=lock message~"unlocks a mutex" object=m
// leno: cflags=-DOWN verdict=safe
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
#ifdef OWN
    pthread_mutex_lock(&m);
#endif
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(thread, NULL);
    return 0;
}
