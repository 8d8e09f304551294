// poll and select without descriptors are ways to sleep: a loop that does so waits.
// leno: verdict=safe executions=1
// leno: cflags=-DNOBODY verdict=bug kind=termination
// leno: cflags="-DNOBODY -DSELECT" verdict=bug kind=termination
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/select.h>

static atomic_int ready;

static void *wait_for_it(void *unused)
{
    struct timeval soon = {.tv_usec = 10};
    assert(select(0, NULL, NULL, NULL, &soon) == 0);
    while (!atomic_load(&ready)) {
#ifdef SELECT
        assert(select(0, NULL, NULL, NULL, &soon) == 0);
#else
        assert(poll(NULL, 0, 10) == 0);
#endif
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_it, NULL);
#ifndef NOBODY
    atomic_store(&ready, 1);
#endif
    pthread_join(thread, NULL);
    return 0;
}
