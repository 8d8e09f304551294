// Who joins with a timeout is not stuck with a thread that does not end.
// leno: cflags=-DTIMED=1 verdict=safe
// leno: cflags=-DTIMED=0 verdict=bug kind=deadlock
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t go;

static void *work(void *unused)
{
    sem_wait(&go);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until = { 0 };
    sem_init(&go, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    if (TIMED)
        pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until);
    else
        pthread_join(thread, NULL);
    sem_post(&go);
    return 0;
}
