// Who has disabled cancellation is cancelled later, at a point after enabling it.
// leno: cflags=-DDISABLE=1 verdict=safe
// leno: cflags=-DDISABLE=0 verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>

static int written;

static void *work(void *unused)
{
    int old;
    if (DISABLE) {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
        assert(old == PTHREAD_CANCEL_ENABLE);
    }
    pthread_testcancel();
    written = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    assert(old == (DISABLE ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE));
    pthread_testcancel();
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED || result == NULL);
    assert(written == 1);
    return 0;
}
