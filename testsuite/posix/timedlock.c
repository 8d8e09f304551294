// A timeout may fire: whoever forgets that fails in some execution.
// leno: cflags=-DCAREFUL=1 verdict=safe
// leno: cflags=-DCAREFUL=0 verdict=bug kind=assert
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *hold(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until;
    pthread_create(&thread, NULL, hold, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    int error = pthread_mutex_timedlock(&mutex, &until);
    if (CAREFUL)
        assert(error == 0 || error == ETIMEDOUT);
    else
        assert(error == 0);
    if (error == 0)
        pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
