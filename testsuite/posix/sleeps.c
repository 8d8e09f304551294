// Sleeping orders nothing, however long it is.
// leno: cflags=-DJOIN=1 verdict=safe
// leno: cflags=-DJOIN=0 verdict=bug kind=assert
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int data;

static void *work(void *unused)
{
    data = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec long_time = { .tv_sec = 3600 };
    pthread_create(&thread, NULL, work, NULL);
    nanosleep(&long_time, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, NULL);
    usleep(4000000000);
    thrd_sleep(&long_time, NULL);
    sleep(1000);
    sched_yield();
    if (JOIN)
        pthread_join(thread, NULL);
    assert(data == 1);
    return 0;
}
