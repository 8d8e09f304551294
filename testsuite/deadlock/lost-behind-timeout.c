// The signal comes before the wait. Without a test of the flag that is a deadlock, unless
// the wait ends by itself; and then the flag has been set.
// leno: verdict=bug kind=deadlock
// leno: cflags=-DTIMED verdict=safe
// leno: cflags="-DTIMED -DTRUST" verdict=bug kind=assert message~"result == 0"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *wait(void *unused)
{
    struct timespec until = {1, 0};
    int result = 0;
    pthread_mutex_lock(&m);
#ifdef TIMED
    result = pthread_cond_timedwait(&c, &m, &until);
#else
    pthread_cond_wait(&c, &m);
#endif
    pthread_mutex_unlock(&m);
#ifdef TRUST
    assert(result == 0);
#else
    assert(result == 0 || result == ETIMEDOUT);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(thread, NULL);
    return 0;
}
