// The destructors of thread-specific data run when a thread is cancelled.
// leno: cflags=-DDESTROY=destroy verdict=safe
// leno: cflags=-DDESTROY=NULL verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_key_t key;
static int destroyed;

static void destroy(void *value)
{
    destroyed += (int)(long)value;
}

static void *work(void *unused)
{
    (void)destroy;
    pthread_setspecific(key, (void *)5L);
    for (;;)
        pause();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, DESTROY);
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    assert(destroyed == 5);
    return 0;
}
