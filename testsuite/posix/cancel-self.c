// A thread may cancel itself; it goes on to its next cancellation point.
// leno: cflags=-DPOINT=1 verdict=safe
// leno: cflags=-DPOINT=0 verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>

static int reached;

static void *work(void *unused)
{
    pthread_cancel(pthread_self());
    reached = 1;
    if (POINT)
        pthread_testcancel();
    assert(0 && "it was cancelled");
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &result);
    assert(reached == 1 && result == PTHREAD_CANCELED);
    return 0;
}
