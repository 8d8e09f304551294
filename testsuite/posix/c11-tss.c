// tss_create's destructors run at the end of a thread.
// leno: cflags=-DSET=1 verdict=safe
// leno: cflags=-DSET=0 verdict=bug kind=assert
#include <assert.h>
#include <threads.h>

static tss_t key;
static int destroyed;

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static int work(void *value)
{
    if (SET)
        tss_set(key, value);
    assert(tss_get(key) == (SET ? value : NULL));
    thrd_exit(3);
}

int main(void)
{
    thrd_t thread;
    int value = 4, result;
    assert(tss_create(&key, destroy) == thrd_success);
    thrd_create(&thread, work, &value);
    thrd_join(thread, &result);
    assert(result == 3);
    assert(destroyed == 4);
    tss_delete(key);
    return 0;
}
