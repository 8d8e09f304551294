// sem_clockwait may time out.
// leno: cflags=-DCAREFUL=1 verdict=safe
// leno: cflags=-DCAREFUL=0 verdict=bug kind=assert
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t sem;

static void *post(void *unused)
{
    sem_post(&sem);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    sem_init(&sem, 0, 0);
    pthread_create(&thread, NULL, post, NULL);
    int result = sem_clockwait(&sem, CLOCK_MONOTONIC, &until);
    assert(result == 0 || (CAREFUL && errno == ETIMEDOUT));
    pthread_join(thread, NULL);
    return 0;
}
