// All threads block a signal and one of them waits for it, as daemons do.
// leno: cflags=-DPROCESS verdict=safe
// leno: cflags=-DTHREAD verdict=safe
// leno: cflags="-DPROCESS -DUNLOCKED" verdict=bug kind=race object=count
// leno: cflags="-DTHREAD -DONCE" verdict=bug kind=termination
// leno: cflags="-DTHREAD -DOPEN" verdict=bug kind=crash
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static sigset_t set;

static void *wait_for_both(void *unused)
{
    int first, second;
    assert(sigwait(&set, &first) == 0 && (first == SIGUSR1 || first == SIGUSR2));
    assert(sigwait(&set, &second) == 0 && first + second == SIGUSR1 + SIGUSR2);
#ifndef UNLOCKED
    pthread_mutex_lock(&mutex);
#endif
    count++;
#ifndef UNLOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

static void send(pthread_t thread, int number)
{
#ifdef PROCESS
    (void)thread;
    assert(kill(getpid(), number) == 0);
#else
    assert(pthread_kill(thread, number) == 0);
#endif
}

int main(void)
{
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
#ifndef OPEN
    sigaddset(&set, SIGUSR2);
#endif
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigaddset(&set, SIGUSR2);
    pthread_create(&thread, NULL, wait_for_both, NULL);
    send(thread, SIGUSR1);
#ifndef ONCE
    send(thread, SIGUSR2);
#endif
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
