// A thread that a constructor has started is no fiber: it is not put back, and it is not
// in the processes that the executions are. No verdict can be had.
// leno: verdict=unknown unseen~"started before main" notes~"threads before main"
// leno[--symmetry off --unseen ignore]: cflags=-DJOINED verdict=safe executions=2 notes=[]
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *early(void *unused)
{
#ifndef JOINED
    for (;;)
        pause();
#endif
    return unused;
}

__attribute__((constructor)) static void prepare(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, early, NULL);
#ifdef JOINED
    pthread_join(thread, NULL);
#endif
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(count == 2);
    return 0;
}
