// A robust mutex that was made consistent is a mutex like before, for all threads.
// leno: cflags=-DRECOVERS=1 verdict=safe
// leno: cflags=-DRECOVERS=0 verdict=bug kind=assert message~"ENOTRECOVERABLE"
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
    pthread_create(&thread, NULL, die, NULL);
    pthread_join(thread, NULL);
    assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    pthread_mutex_consistent(&mutex);
    pthread_mutex_unlock(&mutex);
    int error = pthread_mutex_lock(&mutex);
    if (RECOVERS)
        assert(error == 0);
    else
        assert(error == ENOTRECOVERABLE);
    pthread_mutex_unlock(&mutex);
    return 0;
}
