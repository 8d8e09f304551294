// Two threads wait for one condition variable at the same time, each with a mutex of its own.
// leno: verdict=bug kind=lock message~"with another mutex" object=c related~"waits with another mutex here, line 20"
// leno: cflags=-DONE verdict=safe
#include <pthread.h>

static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready[2];

#ifdef ONE
#define MUTEX(i) &m[0]
#else
#define MUTEX(i) &m[i]
#endif

static void *wait(void *number)
{
    long i = (long)number;
    pthread_mutex_lock(MUTEX(i));
    while (!ready[i]) pthread_cond_wait(&c, MUTEX(i));
    pthread_mutex_unlock(MUTEX(i));
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, wait, (void *)i);
    for (long i = 0; i < 2; i++) {
        pthread_mutex_lock(MUTEX(i));
        ready[i] = 1;
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(MUTEX(i));
    }
    for (long i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
