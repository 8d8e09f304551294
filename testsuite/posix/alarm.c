// A timer's signal comes where a thread sleeps for long enough, and where it waits for a
// signal; not if the timer was stopped. That it comes elsewhere is not tried, so there is no
// `safe` with a handler. Who sleeps is told that it was woken.
// leno: verdict=unknown coverage=bounded notes~"SIGALRM of a timer"
// leno: cflags=-DSTOPPED verdict=bug kind=assert message~"rings == 1"
// leno: cflags=-DSHORT verdict=bug kind=assert message~"rings == 1"
// leno: cflags=-DFATAL verdict=bug kind=crash message~"SIGALRM"
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t rings;

static void ring(int signal)
{
    (void)signal;
    rings++;
}

int main(void)
{
#ifndef FATAL
    signal(SIGALRM, ring);
#endif
    alarm(10);
#ifdef STOPPED
    assert(alarm(0) == 10);
#endif
#ifdef SHORT
    usleep(1);
#else
    for (int i = 0; i < 3; i++)
        sleep(4);
#endif
    assert(rings == 1);
    alarm(1);
    assert(pause() == -1 && errno == EINTR);
    assert(rings == 2);
    struct itimerval every = {{1, 0}, {1, 0}}, left;
    assert(setitimer(ITIMER_REAL, &every, NULL) == 0);
    pause();
    pause();
    assert(rings == 4);
    assert(getitimer(ITIMER_REAL, &left) == 0 && left.it_interval.tv_sec == 1);
    assert(alarm(0) == 1);
    sleep(5);
    assert(rings == 4);
    return 0;
}
