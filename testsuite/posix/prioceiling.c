// The ceiling of a mutex is changed under its own lock.
// leno: cflags=-DUNLOCK=1 verdict=safe
// leno: cflags=-DUNLOCK=0 verdict=bug kind=deadlock object=mutex
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *hold(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (UNLOCK)
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attributes;
    int old = -1;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setprioceiling(&attributes, 1);
    pthread_mutex_init(&mutex, &attributes);
    assert(pthread_mutex_getprioceiling(&mutex, &old) == 0 && old == 1);
    pthread_create(&thread, NULL, hold, NULL);
    pthread_mutex_setprioceiling(&mutex, 2, &old);
    pthread_join(thread, NULL);
    return 0;
}
