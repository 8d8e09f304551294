// A routine of pthread_once that its thread does not come to the end of, because it is
// cancelled or exits, counts as not called: the next caller runs it.
// leno: verdict=safe
// leno: cflags=-DEXITS verdict=safe
// leno: cflags="-DEXITS -DWRONG" verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int begun, done;

static void routine(void)
{
    begun++;
#ifdef EXITS
    if (begun == 1)
        pthread_exit(0);
#else
    pthread_testcancel();
#endif
    done++;
}

static void *body(void *unused)
{
    pthread_once(&once, routine);
    assert(done == 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, body, 0);
    pthread_create(&b, 0, body, 0);
#ifndef EXITS
    pthread_cancel(a);
#endif
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef WRONG
    assert(begun == 1);
#endif
    return 0;
}
