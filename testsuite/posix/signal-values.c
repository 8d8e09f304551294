// A queued signal carries a value to whoever takes it, be he named or not.
// leno: cflags="-DSENDS=0 -DTAKES=0 -DVALUE=1" verdict=safe
// leno: cflags="-DSENDS=0 -DTAKES=0 -DVALUE=2" verdict=bug kind=assert message~"sival_int != 2"
// leno: cflags="-DSENDS=1 -DTAKES=1 -DVALUE=1" verdict=safe
// leno: cflags="-DSENDS=1 -DTAKES=1 -DVALUE=2" verdict=bug kind=assert message~"sival_int != 2"
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static pthread_t main_thread;

static void *send(void *unused)
{
    union sigval value = { .sival_int = VALUE };
    if (SENDS)
        sigqueue(getpid(), SIGRTMIN, value);
    else
        pthread_sigqueue(main_thread, SIGRTMIN, value);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigset_t set;
    siginfo_t info;
    struct timespec soon = { .tv_nsec = 1000 };
    main_thread = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, send, NULL);
    int number = TAKES ? sigtimedwait(&set, &info, &soon) : sigwaitinfo(&set, &info);
    if (number == SIGRTMIN)
        assert(info.si_value.sival_int != 2);
    pthread_join(thread, NULL);
    return 0;
}
