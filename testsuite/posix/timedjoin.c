// A join with a timeout may end by it: then the thread still runs.
// leno: cflags=-DCAREFUL=1 verdict=safe
// leno: cflags=-DCAREFUL=0 verdict=bug kind=race object=data
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static int data;

static void *work(void *unused)
{
    data = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    pthread_create(&thread, NULL, work, NULL);
    int error = pthread_timedjoin_np(thread, NULL, &until);
    assert(error == 0 || error == ETIMEDOUT);
    if (error && CAREFUL)
        error = pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, NULL);
    assert(!CAREFUL || error == 0);
    data++;
    return 0;
}
