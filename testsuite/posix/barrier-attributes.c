// A barrier of one lets everybody pass; of two it makes them meet.
// leno: cflags=-DCOUNT=2 verdict=safe
// leno: cflags=-DCOUNT=1 verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int data;

static void *write_it(void *unused)
{
    data = 1;
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrierattr_t attributes;
    int shared;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrierattr_getpshared(&attributes, &shared);
    assert(shared == PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&barrier, &attributes, COUNT);
    pthread_barrierattr_destroy(&attributes);
    pthread_create(&thread, NULL, write_it, NULL);
    pthread_barrier_wait(&barrier);
    assert(data == 1);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
