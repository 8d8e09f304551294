// What is blocked waits until it is unblocked or asked for; a signal comes once, a
// real-time signal as often as it was sent, with its value.
// leno: verdict=safe
// leno: cflags=-DTWICE verdict=bug kind=assert message~"handled == 2"
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

static int handled;

static void handle(int number)
{
    assert(number == SIGUSR1);
    handled++;
}

int main(void)
{
    sigset_t set, old, now;
    siginfo_t info;
    const struct timespec soon = {1, 0};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    signal(SIGUSR1, handle);

    raise(SIGUSR1);
    raise(SIGUSR1);
    assert(handled == 0);
    assert(sigpending(&now) == 0 && sigismember(&now, SIGUSR1) && !sigismember(&now, SIGUSR2));
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
#ifdef TWICE
    assert(handled == 2);
#endif
    assert(handled == 1);
    raise(SIGUSR1);
    assert(handled == 2);

    for (int i = 1; i <= 2; i++)
        assert(pthread_sigqueue(pthread_self(), SIGRTMIN, (union sigval){.sival_int = i}) == 0);
    assert(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_value.sival_int == 1);
    assert(sigtimedwait(&set, &info, &soon) == SIGRTMIN && info.si_value.sival_int == 2);
    assert(info.si_code == SI_QUEUE);
    assert(sigtimedwait(&set, &info, &soon) == -1 && errno == EAGAIN);

    return 0;
}
