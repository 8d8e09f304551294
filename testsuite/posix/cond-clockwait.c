// pthread_cond_clockwait may time out: the predicate must be looked at again.
// leno: cflags=-DCAREFUL=1 verdict=safe
// leno: cflags=-DCAREFUL=0 verdict=bug kind=assert
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static int ready;

static void *set(void *unused)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_condattr_t attributes;
    clockid_t clock;
    struct timespec until = { .tv_sec = 1 };
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_condattr_getclock(&attributes, &clock);
    assert(clock == CLOCK_MONOTONIC);
    pthread_cond_init(&cond, &attributes);
    pthread_create(&thread, NULL, set, NULL);
    pthread_mutex_lock(&mutex);
    int error = 0;
    while (!ready && error == 0)
        error = pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &until);
    assert(ready || (CAREFUL && error == ETIMEDOUT));
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
