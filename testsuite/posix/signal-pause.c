// A signal that comes before `pause` is lost, and the thread waits for ever. `sigsuspend`
// unblocks it and waits in one step.
// leno: cflags=-DPAUSE verdict=bug kind=deadlock
// leno: cflags= verdict=safe
// leno[--search naive]: cflags= verdict=safe
// leno: cflags=-DNOBODY verdict=bug kind=deadlock
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int ready;
static volatile sig_atomic_t come;

static void on_signal(int number)
{
    come = number;
}

static void *work(void *unused)
{
#ifdef PAUSE
    ready = 1;
    assert(pause() == -1 && errno == EINTR);
#else
    sigset_t block, before;
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &block, &before);
    ready = 1;
    assert(sigsuspend(&before) == -1 && errno == EINTR);
#endif
    assert(come == SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, work, NULL);
    while (!ready)
        ;
#ifndef NOBODY
    pthread_kill(thread, SIGUSR1);
#endif
    pthread_join(thread, NULL);
    return 0;
}
