// What a handler does races with what a thread does that nobody has joined; a thread that is
// woken by a handler has done its work when the process ends.
// leno: cflags=-DRACE verdict=bug kind=race object=data
// leno: verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t end;
static int data;

static void *serve(void *unused)
{
#ifdef RACE
    data = 1;
#else
    sem_wait(&end);
    assert(data == 2);
#endif
    return unused;
}

static void finish(void)
{
    data = 3;
    sem_post(&end);
}

int main(void)
{
    pthread_t thread;
    sem_init(&end, 0, 0);
    atexit(finish);
    pthread_create(&thread, NULL, serve, NULL);
    return 0;
}
