// mtx_timedlock and cnd_timedwait may time out.
// leno: cflags=-DCAREFUL=1 verdict=safe
// leno: cflags=-DCAREFUL=0 verdict=bug kind=race object=counter
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t changed;
static int counter;

static int count(void *unused)
{
    struct timespec until;
    (void)unused;
    timespec_get(&until, TIME_UTC);
    int result = mtx_timedlock(&mutex, &until);
    assert(result == thrd_success || result == thrd_timedout);
    if (result == thrd_success || !CAREFUL)
        counter++;
    if (result == thrd_success) {
        cnd_timedwait(&changed, &mutex, &until);
        mtx_unlock(&mutex);
    }
    return 0;
}

int main(void)
{
    thrd_t a, b;
    mtx_init(&mutex, mtx_timed);
    cnd_init(&changed);
    thrd_create(&a, count, NULL);
    thrd_create(&b, count, NULL);
    cnd_broadcast(&changed);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    cnd_destroy(&changed);
    mtx_destroy(&mutex);
    return 0;
}
