// The older functions of signal.h hold signals back, let them through and set what they do,
// for the thread that calls them, as the newer ones.
// leno: verdict=safe
// leno: cflags=-DHELD=1 verdict=bug kind=assert message~"handled == HELD"
// leno: cflags=-DRELEASED=0 verdict=bug kind=assert message~"handled == RELEASED"
// leno: cflags=-DMASKED=4 verdict=bug kind=assert message~"handled == MASKED"
// leno: cflags=-DONCE verdict=bug kind=crash message~"SIGUSR2"
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#ifndef HELD
#define HELD 0
#endif
#ifndef RELEASED
#define RELEASED 1
#endif
#ifndef MASKED
#define MASKED 3
#endif

#pragma clang diagnostic ignored "-Wdeprecated-declarations"
sighandler_t bsd_signal(int, sighandler_t);

static int handled;
static pthread_t main_thread;

static void handle(int number)
{
    assert(number == SIGUSR1 || number == SIGUSR2);
    handled++;
}

static void *send(void *unused)
{
    pthread_kill(main_thread, SIGUSR1);
    return unused;
}

int main(void)
{
    assert(bsd_signal(SIGUSR1, handle) == SIG_DFL);
    assert(sighold(SIGUSR1) == 0);
    raise(SIGUSR1);
    assert(handled == HELD);
    assert(sigrelse(SIGUSR1) == 0);
    assert(handled == RELEASED);

    assert(sigset(SIGUSR1, SIG_HOLD) == handle);
    raise(SIGUSR1);
    assert(handled == 1);
    assert(sigset(SIGUSR1, handle) == SIG_HOLD);
    assert(handled == 2);

    int before = sigblock(sigmask(SIGUSR1));
    assert(siggetmask() & sigmask(SIGUSR1));
    raise(SIGUSR1);
    assert(handled == 2);
    sigsetmask(before);
    assert(handled == MASKED);

    // Another thread's mask is its own, and the signal may come before it is waited for.
    pthread_t thread;
    main_thread = pthread_self();
    sighold(SIGUSR1);
    pthread_create(&thread, NULL, send, NULL);
    assert(sigpause(SIGUSR1) == -1 && errno == EINTR);
    assert(handled == 4);
    pthread_join(thread, NULL);

    assert(sigignore(SIGUSR1) == 0 && sigrelse(SIGUSR1) == 0);
    raise(SIGUSR1);
    assert(handled == 4);
    assert(sighold(1000) == -1 && errno == EINVAL);

    sysv_signal(SIGUSR2, handle);
    raise(SIGUSR2);
    assert(handled == 5);
#ifdef ONCE
    raise(SIGUSR2);
#endif
    return 0;
}
