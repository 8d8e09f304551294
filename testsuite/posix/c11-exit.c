// What thrd_exit is given is what thrd_join gives; what a thread keeps with tss_set is given
// to the destructor; the thread that runs is the one that was created.
// leno: cflags="-DRESULT=3 -DVALUE=4" verdict=safe
// leno: cflags="-DRESULT=5 -DVALUE=4" verdict=bug kind=assert message~"result != 5"
// leno: cflags="-DRESULT=3 -DVALUE=6" verdict=bug kind=assert message~"!= 6"
#include <assert.h>
#include <threads.h>

static tss_t key;
static thrd_t thread;

static void destroy(void *value)
{
    assert(*(int *)value != 6);
}

static int work(void *value)
{
    assert(thrd_equal(thrd_current(), thread));
    tss_set(key, value);
    thrd_exit(RESULT);
}

int main(void)
{
    int value = VALUE, result;
    assert(tss_create(&key, destroy) == thrd_success);
    thrd_create(&thread, work, &value);
    thrd_join(thread, &result);
    assert(result != 5);
    assert(!thrd_equal(thrd_current(), thread));
    return 0;
}
