// Timed locks of a read-write lock, by both clocks.
// leno: cflags=-DCAREFUL=1 verdict=safe
// leno: cflags=-DCAREFUL=0 verdict=bug kind=race object=value
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *write_it(void *unused)
{
    struct timespec until = { .tv_sec = 1 };
    int error = pthread_rwlock_timedwrlock(&lock, &until);
    if (error == ETIMEDOUT)
        error = pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until);
    if (error == 0 || !CAREFUL)
        value++;
    if (error == 0)
        pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until = { .tv_sec = 1 };
    pthread_create(&thread, NULL, write_it, NULL);
    int error = pthread_rwlock_timedrdlock(&lock, &until);
    if (error == ETIMEDOUT)
        error = pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &until);
    int seen = error == 0 ? value : 0;
    if (error == 0)
        pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return seen & 0;
}
