// A thread that waits is cancelled: its handler runs, and its result says so.
// leno: cflags=-DCANCEL=1 verdict=safe
// leno: cflags=-DCANCEL=0 verdict=bug kind=deadlock object=never
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t never;
static int cleaned;

static void clean(void *argument)
{
    cleaned += (int)(long)argument;
}

static void *work(void *unused)
{
    pthread_cleanup_push(clean, (void *)1L);
    pthread_cleanup_push(clean, (void *)2L);
    sem_wait(&never);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    if (CANCEL)
        assert(pthread_cancel(thread) == 0);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    assert(cleaned == 3);
    return 0;
}
