// A loop around a timed wait for a signal that nobody sends is a loop without end, whether or
// not there is another thread, and other signals do not end it. If somebody sends it, all is
// well; that the timeout fires first is tried too.
// leno: cflags=-DALONE verdict=bug kind=termination
// leno: cflags="-DALONE -DAT_ONCE" verdict=bug kind=termination
// leno: cflags="-DALONE -DNO_LIMIT" verdict=bug kind=termination
// leno: cflags=-DSENDS=SIGUSR2 verdict=bug kind=termination
// leno: cflags=-DSENDS=SIGUSR1 verdict=safe
// leno: cflags="-DSENDS=SIGUSR1 -DAT_ONCE" verdict=safe
// leno: cflags="-DSENDS=SIGUSR1 -DNO_LIMIT" verdict=safe
// leno: cflags="-DSENDS=SIGUSR1 -DSURE" verdict=bug kind=assert message~"!late"
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

static void await(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
#ifdef AT_ONCE
    struct timespec time = {0}, *limit = &time;
#elif defined NO_LIMIT
    struct timespec *limit = NULL;
#else
    struct timespec time = {.tv_sec = 1}, *limit = &time;
#endif
    while (sigtimedwait(&set, NULL, limit) < 0) {
        int late = errno == EAGAIN;
        assert(late);
#ifdef SURE
        assert(!late);
#endif
    }
}

static void *wait_for_it(void *unused)
{
    await();
    return unused;
}

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
#ifdef ALONE
    wait_for_it(NULL);
#else
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_it, NULL);
    pthread_kill(thread, SENDS);
    pthread_join(thread, NULL);
#endif
    return 0;
}
