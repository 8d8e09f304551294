// A thread that raises a signal runs its handler, with what the handler does wrong.
// leno: cflags=-DLOCK=1 verdict=safe
// leno: cflags=-DLOCK=0 verdict=bug kind=race object=seen
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int seen;

static void handle(int number)
{
    assert(number == SIGUSR1);
    if (LOCK)
        pthread_mutex_lock(&mutex);
    seen++;
    if (LOCK)
        pthread_mutex_unlock(&mutex);
}

static void *work(void *unused)
{
    raise(SIGUSR1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, NULL, work, NULL);
    pthread_kill(pthread_self(), SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
