// call_once runs its function once, and whoever comes meanwhile waits for its end; also
// the function itself, if it asks again.
// leno: cflags=-DAGAIN=0 verdict=safe
// leno: cflags=-DAGAIN=1 verdict=bug kind=deadlock
#include <assert.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static int made;

static void make(void)
{
    made++;
    if (AGAIN)
        call_once(&once, make);
}

static int use(void *unused)
{
    (void)unused;
    call_once(&once, make);
    assert(made == 1);
    return 0;
}

int main(void)
{
    thrd_t a, b;
    thrd_create(&a, use, NULL);
    thrd_create(&b, use, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    return 0;
}
