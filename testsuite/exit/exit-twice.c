// Two threads end the process: the first one's status counts, and its handlers run once.
// leno: verdict=safe
// leno[--property exit]: verdict=bug kind=exit
// leno[--property exit]: cflags=-DZERO verdict=safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int calls;

static void count(void)
{
    calls++;
    assert(calls == 1);
}

static void *leave(void *unused)
{
    (void)unused;
#ifdef ZERO
    exit(0);
#else
    exit(3);
#endif
}

int main(void)
{
    pthread_t thread;
    atexit(count);
    pthread_create(&thread, NULL, leave, NULL);
    return 0;
}
