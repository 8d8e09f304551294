// Handlers run while the other threads go on: they can tell these to end and wait for it.
// leno: verdict=safe
// leno: cflags=-DDESTRUCTOR verdict=safe
// leno: cflags=-DUNTOLD verdict=bug kind=deadlock message="deadlock: main and T1 wait for ever"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int stop, idle;
static pthread_t thread;

static void *serve(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!stop) {
        idle++;
        pthread_cond_wait(&cond, &lock);
        idle--;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

#ifdef DESTRUCTOR
__attribute__((destructor))
#endif
static void finish(void)
{
    if (!thread)
        return;
    pthread_mutex_lock(&lock);
    stop = 1;
#ifndef UNTOLD
    if (idle)
        pthread_cond_signal(&cond);
#endif
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}

int main(void)
{
#ifndef DESTRUCTOR
    atexit(finish);
#endif
    pthread_create(&thread, NULL, serve, NULL);
    return 0;
}
