// The condition variable is destroyed while a thread may still wait for it. After a
// broadcast nobody does, and it may be destroyed before the others have the mutex again.
// leno: verdict=bug kind=lock message="destroys a condition variable that a thread waits for" object=c related~"T1 (wait) waits here, line 14"
// leno: cflags=-DBROADCAST verdict=safe
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waits, ready;

static void *wait(void *unused)
{
    pthread_mutex_lock(&m);
    for (waits = 1; !ready;) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(&m);
    if (waits) {
        ready = 1;
#ifdef BROADCAST
        pthread_cond_broadcast(&c);
#endif
        pthread_cond_destroy(&c);
        pthread_mutex_unlock(&m);
        pthread_join(thread, NULL);
    }
    return 0;
}
