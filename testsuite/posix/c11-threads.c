// threads.h: threads, mutexes, conditions, call_once.
// leno: cflags=-DLOCK=1 verdict=safe
// leno: cflags=-DLOCK=0 verdict=bug kind=race object=counter
#include <assert.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int counter;

static void set_up(void)
{
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
}

static int count(void *unused)
{
    (void)unused;
    call_once(&once, set_up);
    if (LOCK)
        mtx_lock(&mutex);
    counter++;
    cnd_signal(&changed);
    if (LOCK)
        mtx_unlock(&mutex);
    return 7;
}

int main(void)
{
    thrd_t a, b;
    int from_a, from_b;
    call_once(&once, set_up);
    thrd_create(&a, count, NULL);
    thrd_create(&b, count, NULL);
    mtx_lock(&mutex);
    while (LOCK && counter < 2)
        cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    thrd_join(a, &from_a);
    thrd_join(b, &from_b);
    assert(from_a == 7 && from_b == 7);
    return 0;
}
