// A recursive mutex whose owner has died is told of once, and is lost only with the last unlock.
// leno: cflags=-DMENDS=1 verdict=safe
// leno: cflags=-DMENDS=0 verdict=bug kind=assert message~"recovered"
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *die(void *unused)
{
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, NULL, die, NULL);
    pthread_join(thread, NULL);
    assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    assert(pthread_mutex_lock(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
    if (MENDS)
        assert(pthread_mutex_consistent(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
    assert(pthread_mutex_lock(&mutex) == 0 && "recovered");
    pthread_mutex_unlock(&mutex);
    return 0;
}
