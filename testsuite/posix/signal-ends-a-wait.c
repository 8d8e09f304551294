// A handler ends the wait for a semaphore, unless it was installed with SA_RESTART, and a
// sleep; a loop on a flag that it sets ends.
// leno: cflags="-DFLAGS=0 -DAGAIN" verdict=safe
// leno: cflags="-DFLAGS=0" verdict=bug kind=assert
// leno: cflags=-DFLAGS=SA_RESTART verdict=safe
// leno: cflags="-DFLAGS=0 -DSLEEPS" verdict=bug kind=assert
// leno: cflags="-DFLAGS=0 -DSLEEPS -DAGAIN" verdict=safe
// leno: cflags="-DFLAGS=0 -DSPINS" verdict=safe
// leno: cflags="-DFLAGS=0 -DSPINS -DNOBODY" verdict=bug kind=termination object=come
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t sem;
static volatile sig_atomic_t come;

static void on_signal(int number)
{
    come = number;
}

static void *work(void *unused)
{
#if defined SPINS
    while (!come)
        ;
#elif defined SLEEPS
    struct timespec time = {1, 0};
#ifdef AGAIN
    while (nanosleep(&time, &time) == -1)
        assert(errno == EINTR && time.tv_sec == 1);
#else
    assert(nanosleep(&time, NULL) == 0);
#endif
#elif defined AGAIN
    while (sem_wait(&sem) == -1)
        assert(errno == EINTR);
#else
    assert(sem_wait(&sem) == 0);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = FLAGS};
    sem_init(&sem, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, work, NULL);
#ifndef NOBODY
    pthread_kill(thread, SIGUSR1);
#endif
    sem_post(&sem);
    pthread_join(thread, NULL);
    return 0;
}
