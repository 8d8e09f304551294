// A thread that runs is not joined yet: EBUSY. Who does not look at the result is wrong.
// leno: cflags=-DCHECK=1 verdict=safe
// leno: cflags=-DCHECK=0 verdict=bug kind=race object=data
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int data;

static void *work(void *unused)
{
    (void)unused;
    data = 1;
    return (void *)7L;
}

int main(void)
{
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, work, NULL);
    int error = pthread_tryjoin_np(thread, &result);
    assert(error == 0 || error == EBUSY);
    if (error == 0)
        assert(result == (void *)7L);
    if (error == 0 || !CHECK)
        data++;
    if (error)
        pthread_join(thread, NULL);
    return 0;
}
