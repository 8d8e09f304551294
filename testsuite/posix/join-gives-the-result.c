// Each kind of join that comes to its end gives what the thread returned, by whichever way.
// leno: cflags="-DJOIN=1 -DRETURNED=1" verdict=safe
// leno: cflags="-DJOIN=1 -DRETURNED=2" verdict=bug kind=assert message~"(void *)2"
// leno: cflags="-DJOIN=2 -DRETURNED=1" verdict=safe
// leno: cflags="-DJOIN=2 -DRETURNED=2" verdict=bug kind=assert message~"(void *)2"
// leno: cflags="-DJOIN=3 -DRETURNED=1" verdict=safe
// leno: cflags="-DJOIN=3 -DRETURNED=2" verdict=bug kind=assert message~"(void *)2"
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *work(void *unused)
{
    (void)unused;
    pthread_exit((void *)RETURNED);
}

int main(void)
{
    pthread_t thread;
    void *result = NULL;
    struct timespec past = { .tv_sec = 1 };
    pthread_create(&thread, NULL, work, NULL);
    int error = JOIN == 1   ? pthread_join(thread, &result)
                : JOIN == 2 ? pthread_timedjoin_np(thread, &result, &past)
                            : pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &past);
    if (error == 0)
        assert(result != (void *)2);
    return 0;
}
