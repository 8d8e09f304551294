// A loop of tryjoin waits for the end of the thread, and comes after it.
// leno: cflags=-DENDS=1 verdict=safe
// leno: cflags=-DENDS=0 verdict=bug
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static int data;
static sem_t never;

static void *work(void *unused)
{
    data = 1;
    if (!ENDS)
        sem_wait(&never);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    while (pthread_tryjoin_np(thread, NULL) == EBUSY)
        ;
    assert(data == 1);
    return 0;
}
