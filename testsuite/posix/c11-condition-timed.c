// cnd_timedwait ends by a signal or by its time; what was waited for is there only once.
// leno: cflags=-DEXPECTED=1 verdict=safe
// leno: cflags=-DEXPECTED=2 verdict=bug kind=assert message~"value == EXPECTED"
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t changed;
static int value;

static int set(void *unused)
{
    (void)unused;
    mtx_lock(&mutex);
    value = 1;
    cnd_signal(&changed);
    mtx_unlock(&mutex);
    return 0;
}

int main(void)
{
    thrd_t thread;
    struct timespec past = { .tv_sec = 1 };
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    mtx_lock(&mutex);
    thrd_create(&thread, set, NULL);
    int result = cnd_timedwait(&changed, &mutex, &past);
    assert(result == thrd_success || result == thrd_timedout);
    if (result == thrd_success)
        assert(value == EXPECTED);
    mtx_unlock(&mutex);
    thrd_join(thread, NULL);
    return 0;
}
