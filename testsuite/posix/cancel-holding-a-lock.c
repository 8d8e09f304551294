// A thread that is cancelled while it waits has the mutex again; its handler must unlock it.
// leno: cflags=-DHANDLER=1 verdict=safe
// leno: cflags=-DHANDLER=0 verdict=bug kind=deadlock object=mutex
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void unlock(void *unused)
{
    (void)unused;
    if (HANDLER)
        pthread_mutex_unlock(&mutex);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    while (!ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(0);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    return 0;
}
