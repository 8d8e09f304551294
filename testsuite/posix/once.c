// pthread_once runs its routine once, and everybody sees what it did.
// leno: cflags=-DONCE=1 verdict=safe
// leno: cflags=-DONCE=0 verdict=bug kind=race
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made;

static void make(void)
{
    made++;
}

static void *use(void *unused)
{
    if (ONCE)
        pthread_once(&once, make);
    else
        make();
    assert(made == 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
