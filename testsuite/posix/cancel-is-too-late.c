// Who does not let himself be cancelled comes to his end, and gives his result.
// leno: cflags=-DHOPES=0 verdict=safe
// leno: cflags=-DHOPES=1 verdict=bug kind=assert message~"PTHREAD_CANCELED"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t requested;

static void *work(void *unused)
{
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    assert(old == PTHREAD_CANCEL_ENABLE);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old);
    assert(old == PTHREAD_CANCEL_DEFERRED);
    sem_wait(&requested);
    pthread_testcancel();
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    sem_init(&requested, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    sem_post(&requested);
    pthread_join(thread, &result);
    if (HOPES)
        assert(result == PTHREAD_CANCELED);
    return 0;
}
