// Misuse of the objects of threads.h, and the use that is right.
// leno: cflags=-DWHAT=0 verdict=safe
// leno: cflags=-DWHAT=1 verdict=bug kind=lock message="destroys a mutex that is locked"
// leno: cflags=-DWHAT=2 verdict=bug kind=lock message="destroys a condition variable that a thread waits for"
// leno: cflags=-DWHAT=3 verdict=bug kind=lock message="initialises a mutex that is locked"
// leno: cflags=-DWHAT=4 verdict=bug kind=lock message="initialises a condition variable that a thread waits for"
// leno: cflags=-DWHAT=5 verdict=bug kind=lock message~"was detached"
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
static int waits, ready;

static int wait(void *unused)
{
    (void)unused;
    mtx_lock(&mutex);
    for (waits = 1; !ready;)
        cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    return 0;
}

static int nothing(void *unused)
{
    (void)unused;
    return 0;
}

int main(void)
{
    thrd_t thread, other;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    thrd_create(&other, nothing, NULL);
    if (WHAT == 0 || WHAT == 5)
        thrd_detach(other);
    if (WHAT != 0)
        thrd_join(other, NULL);
    thrd_create(&thread, wait, NULL);
    mtx_lock(&mutex);
    if (WHAT == 1)
        mtx_destroy(&mutex);
    if (WHAT == 2 && waits)
        cnd_destroy(&changed);
    if (WHAT == 3)
        mtx_init(&mutex, mtx_plain);
    if (WHAT == 4 && waits)
        cnd_init(&changed);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&mutex);
    thrd_join(thread, NULL);
    cnd_destroy(&changed);
    mtx_destroy(&mutex);
    return 0;
}
