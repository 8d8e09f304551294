// A join is a cancellation point, and the thread that was to be joined still can be.
// leno: cflags=-DJOIN=1 verdict=safe
// leno: cflags=-DJOIN=0 verdict=bug kind=race object=data
#include <assert.h>
#include <pthread.h>

static pthread_t worker;
static int data;

static void *work(void *unused)
{
    data = 1;
    return unused;
}

static void *join(void *unused)
{
    pthread_join(worker, NULL);
    return unused;
}

int main(void)
{
    pthread_t joiner;
    void *result;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&joiner, NULL, join, NULL);
    pthread_cancel(joiner);
    pthread_join(joiner, &result);
    if (JOIN && result == PTHREAD_CANCELED)
        pthread_join(worker, NULL);
    data++;
    return 0;
}
