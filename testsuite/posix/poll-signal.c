// A handler ends a wait for descriptors; a wait with a mask lets a signal through that is
// blocked otherwise, and none gets lost in between.
// leno: verdict=safe
// leno: cflags=-DMASK verdict=safe
// leno: cflags=-DLOST verdict=bug kind=termination
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>

static volatile sig_atomic_t come;
static pthread_t waiter;

static void note(int number)
{
    (void)number;
    come = 1;
}

static void *send(void *unused)
{
    pthread_kill(waiter, SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    waiter = pthread_self();
    struct sigaction action = {.sa_handler = note};
    sigaction(SIGUSR1, &action, NULL);
    struct pollfd one = {eventfd(0, 0), POLLIN, 0};
#ifdef LOST
    pthread_create(&thread, NULL, send, NULL);
    if (!come) {
        poll(&one, 1, -1);
    }
#else
    sigset_t usr1, before;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, &before);
    pthread_create(&thread, NULL, send, NULL);
#ifdef MASK
    while (!come) {
        assert(ppoll(&one, 1, NULL, &before) == -1 && errno == EINTR);
    }
#else
    struct timespec at_once = {0};
    assert(ppoll(&one, 1, &at_once, NULL) == 0);
    pthread_join(thread, NULL);
    assert(!come);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert(come);
    return 0;
#endif
#endif
    pthread_join(thread, NULL);
    assert(come);
    return 0;
}
