// A lost wake-up is a deadlock behind a wait, and none behind a timed wait.
// leno: cflags=-DTIMED=1 verdict=safe
// leno: cflags=-DTIMED=0 verdict=bug kind=deadlock
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *wake(void *unused)
{
    pthread_cond_signal(&cond);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until;
    pthread_create(&thread, NULL, wake, NULL);
    pthread_mutex_lock(&mutex);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (TIMED)
        pthread_cond_timedwait(&cond, &mutex, &until);
    else
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
