// A wait gives a recursive mutex up once. If it is held twice, nobody else gets it.
// leno: cflags=-DDEPTH=2 verdict=bug kind=deadlock
// leno: cflags=-DDEPTH=1 verdict=safe
// leno: cflags="-DDEPTH=1 -DTIMED" verdict=safe
// leno: cflags="-DDEPTH=2 -DTIMED" verdict=safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *wait(void *unused)
{
    struct timespec until = {0};
    for (int i = 0; i < DEPTH; i++)
        pthread_mutex_lock(&m);
#ifdef TIMED
    if (!ready)
        pthread_cond_timedwait(&c, &m, &until);
#else
    while (!ready)
        pthread_cond_wait(&c, &m);
#endif
    for (int i = 0; i < DEPTH; i++)
        assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == EPERM);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attributes);
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(thread, NULL);
    return 0;
}
