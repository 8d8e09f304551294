// What is written before a post is seen after the wait. Without a post nobody goes on.
// leno: cflags=-DPOST=1 verdict=safe
// leno: cflags=-DPOST=0 verdict=bug kind=deadlock object=ready
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int data;

static void *produce(void *unused)
{
    data = 42;
    if (POST)
        sem_post(&ready);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, NULL, produce, NULL);
    sem_wait(&ready);
    assert(data == 42);
    pthread_join(thread, NULL);
    return 0;
}
