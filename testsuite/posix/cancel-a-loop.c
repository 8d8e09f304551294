// A loop with a cancellation point ends when its thread is cancelled, one without does not.
// leno: cflags=-DPOINT=1 verdict=safe
// leno[--max-steps 200]: cflags=-DPOINT=0 verdict=unknown coverage=bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int turns;

static void *work(void *unused)
{
    (void)unused;
    for (;;) {
        if (POINT)
            sleep(1);
        else
            atomic_fetch_add(&turns, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
