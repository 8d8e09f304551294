// Each way to wait for a read-write lock until a given time may end by it.
// leno: cflags="-DWAIT=pthread_rwlock_timedrdlock -DCAREFUL=1" verdict=safe
// leno: cflags="-DWAIT=pthread_rwlock_timedwrlock -DCAREFUL=1" verdict=safe
// leno: cflags="-DWAIT=pthread_rwlock_clockrdlock -DCLOCK -DCAREFUL=1" verdict=safe
// leno: cflags="-DWAIT=pthread_rwlock_clockwrlock -DCLOCK -DCAREFUL=1" verdict=safe
// leno: cflags="-DWAIT=pthread_rwlock_timedrdlock -DCAREFUL=0" verdict=bug kind=assert message~"error == 0"
// leno: cflags="-DWAIT=pthread_rwlock_timedwrlock -DCAREFUL=0" verdict=bug kind=assert message~"error == 0"
// leno: cflags="-DWAIT=pthread_rwlock_clockrdlock -DCLOCK -DCAREFUL=0" verdict=bug kind=assert message~"error == 0"
// leno: cflags="-DWAIT=pthread_rwlock_clockwrlock -DCLOCK -DCAREFUL=0" verdict=bug kind=assert message~"error == 0"
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#ifdef CLOCK
#define OF(lock, until) lock, CLOCK_MONOTONIC, until
#else
#define OF(lock, until) lock, until
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *write_it(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec past = { .tv_sec = 1 };
    pthread_create(&thread, NULL, write_it, NULL);
    int error = WAIT(OF(&lock, &past));
    assert(error == 0 || (CAREFUL && error == ETIMEDOUT));
    if (error == 0)
        pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
