// pthread_cond_clockwait that ends by a signal does so behind what the signaller did.
// leno: cflags=-DEXPECTED=1 verdict=safe
// leno: cflags=-DEXPECTED=2 verdict=bug kind=assert message~"value == EXPECTED"
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int value;

static void *set(void *unused)
{
    pthread_mutex_lock(&mutex);
    value = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec past = { .tv_sec = 1 };
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, set, NULL);
    int error = pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &past);
    assert(error == 0 || error == ETIMEDOUT);
    if (error == 0)
        assert(value == EXPECTED);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
