// A thread-local variable of one thread is used by another.
// leno: verdict=bug kind=race object="counts[1] of T1"
// leno: cflags=-DJOIN verdict=bug kind=memory object="counts[1] of T1"
// leno: cflags=-DOWN verdict=safe
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static _Thread_local long counts[2];
static long *of_other;
static sem_t ready, done;

static void *count(void *unused)
{
    of_other = &counts[1];
    sem_post(&ready);
#ifndef OWN
    counts[1]++;
#endif
#ifndef JOIN
    sem_wait(&done);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&ready, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, count, NULL);
    sem_wait(&ready);
#ifdef JOIN
    pthread_join(thread, NULL);
#endif
    ++*of_other;
    ++counts[1];
    sem_post(&done);
#ifndef JOIN
    pthread_join(thread, NULL);
#endif
    return 0;
}
