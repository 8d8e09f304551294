// A detached thread can be joined by nobody. As long as it lives that is an error which
// may be looked at; when it has ended there is nothing to join, or to detach.
// leno: cflags=-DLIVES verdict=safe
// leno: cflags="-DLIVES -DIGNORES" verdict=bug kind=lock message~"joins a thread that was detached, and ignores the error" related~"the same thread created it detached here, line 30"
// leno: cflags=-DENDS verdict=bug kind=lock message~"joins a thread that was detached and has ended"
// leno: cflags="-DLIVES -DTWICE" verdict=safe
// leno: cflags="-DENDS -DTWICE" verdict=bug kind=lock message~"detaches a thread that was detached and has ended"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t go;

static void *work(void *unused)
{
#ifdef LIVES
    sem_wait(&go);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sem_init(&go, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, work, NULL);
#ifdef TWICE
    assert(pthread_detach(thread) == EINVAL);
#elif defined IGNORES
    pthread_join(thread, NULL);
#else
    assert(pthread_join(thread, NULL) == EINVAL);
#endif
    sem_post(&go);
    return 0;
}
