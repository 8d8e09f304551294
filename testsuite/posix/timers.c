// The timer of the process may be set in microseconds, and again and again; it says what it
// is set to.
// leno: cflags="-DBY_UALARM -DRINGS=1" verdict=unknown notes~"SIGALRM of a timer"
// leno: cflags="-DBY_UALARM -DRINGS=0" verdict=bug kind=assert message~"rings == RINGS"
// leno: cflags="-DRINGS=3" verdict=unknown notes~"SIGALRM of a timer"
// leno: cflags="-DRINGS=0" verdict=bug kind=assert message~"rings == RINGS"
// leno: cflags="-DRINGS=3 -DASKS=7" verdict=unknown notes~"SIGALRM of a timer"
// leno: cflags="-DRINGS=3 -DASKS=0" verdict=bug kind=assert message~"tv_sec == ASKS"
#include <assert.h>
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
    signal(SIGALRM, ring);
#ifdef BY_UALARM
    ualarm(500000, 0);
    sleep(1);
    sleep(1);
#else
    struct itimerval every = {{7, 0}, {3, 0}};
    assert(setitimer(ITIMER_REAL, &every, NULL) == 0);
    for (int i = 0; i < 5; i++)
        sleep(4);
#endif
#ifdef ASKS
    struct itimerval left;
    assert(getitimer(ITIMER_REAL, &left) == 0);
    assert(left.it_interval.tv_sec == ASKS);
#endif
    assert(rings == RINGS);
    return 0;
}
