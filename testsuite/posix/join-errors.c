// What joining and detaching refuse.
// leno: cflags=-DSELF=EDEADLK verdict=safe
// leno: cflags=-DSELF=0 verdict=bug kind=assert
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t go;

/* A detached thread has a handle as long as it lives. */
static void *work(void *unused)
{
    sem_wait(&go);
    return unused;
}

int main(void)
{
    pthread_t thread, other;
    pthread_attr_t attributes;
    int state;
    sem_init(&go, 0, 0);
    assert(pthread_join(pthread_self(), NULL) == SELF);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    assert(pthread_attr_getdetachstate(&attributes, &state) == 0);
    assert(state == PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, work, NULL);
    assert(pthread_join(thread, NULL) == EINVAL);
    assert(pthread_detach(thread) == EINVAL);
    pthread_attr_destroy(&attributes);
    pthread_create(&other, NULL, work, NULL);
    assert(pthread_detach(other) == 0);
    assert(pthread_join(other, NULL) == EINVAL);
    sem_post(&go);
    sem_post(&go);
    return 0;
}
