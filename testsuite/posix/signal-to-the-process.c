// A signal to the process interrupts any thread that does not block it.
// leno: cflags=-DBLOCK=0 verdict=bug kind=assert
// leno: cflags=-DBLOCK=1 verdict=safe
// leno[--search naive]: cflags=-DBLOCK=1 verdict=safe
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_t first;
static atomic_int who;

static void on_signal(int number)
{
    (void)number;
    who = pthread_equal(pthread_self(), first) ? 1 : 2;
}

static void *work(void *unused)
{
    while (!who)
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = on_signal};
    first = pthread_self();
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, work, NULL);
    if (BLOCK) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &set, NULL);
    }
    kill(getpid(), SIGUSR1);
    pthread_join(thread, NULL);
    assert(who == 2);
    return 0;
}
