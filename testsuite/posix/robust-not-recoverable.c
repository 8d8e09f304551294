// Unlocked without being made consistent, a robust mutex can never be locked again.
// leno: cflags=-DCONSISTENT=1 verdict=safe
// leno: cflags=-DCONSISTENT=0 verdict=bug kind=assert
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
    pthread_mutex_init(&mutex, &attributes);
    assert(pthread_mutex_consistent(&mutex) == EINVAL);
    pthread_create(&thread, NULL, die, NULL);
    pthread_join(thread, NULL);
    assert(pthread_mutex_trylock(&mutex) == EOWNERDEAD);
    if (CONSISTENT)
        pthread_mutex_consistent(&mutex);
    pthread_mutex_unlock(&mutex);
    int error = pthread_mutex_lock(&mutex);
    assert(error == 0 || error == ENOTRECOVERABLE);
    assert(error == 0);
    return 0;
}
