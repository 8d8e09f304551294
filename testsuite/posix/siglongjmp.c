// A handler may be left by a jump, as often as one likes; the signal is blocked then, unless
// the mask was kept with the place.
// leno: cflags=-DKEEPS=1 verdict=safe
// leno: cflags=-DKEEPS=0 verdict=bug kind=assert message~"the signal is blocked"
// leno: cflags="-DKEEPS=1 -DSUSPENDS" verdict=safe
// leno: cflags="-DKEEPS=1 -DSUSPENDS -DEXPECTED=4999" verdict=bug kind=assert message~"jumps == EXPECTED"
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#ifndef EXPECTED
#define EXPECTED 5000
#endif

static sigjmp_buf place;
static int jumps;

static void handle(int number)
{
    (void)number;
    jumps++;
    siglongjmp(place, 1);
}

static void *work(void *unused)
{
    for (volatile int i = 0; i < 5000; i++) {
        if (sigsetjmp(place, KEEPS) == 0) {
#ifdef SUSPENDS
            sigset_t all, none;
            sigfillset(&all);
            sigemptyset(&none);
            pthread_sigmask(SIG_SETMASK, &none, NULL);
            pthread_sigmask(SIG_SETMASK, &all, NULL);
            raise(SIGUSR1);
            sigsuspend(&none);
#else
            raise(SIGUSR1);
#endif
            assert(!"the signal is blocked");
        }
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(jumps == EXPECTED);
    return 0;
}
