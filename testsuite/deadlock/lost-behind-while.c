// A loop around the wait does not help if the flag is set and signalled without the mutex:
// it may have been looked at before, and waited for after. A timeout does.
// leno: verdict=bug kind=deadlock
// leno: cflags=-O2 verdict=bug kind=deadlock
// leno: cflags=-DTIMED verdict=safe
// leno: cflags="-DTIMED -O2" verdict=safe
// leno: cflags=-DLOCKED verdict=safe
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int set;

static void *wait(void *unused)
{
    struct timespec until = {1, 0};
    (void)until;
    pthread_mutex_lock(&m);
    while (!set) {
#ifdef TIMED
        pthread_cond_timedwait(&c, &m, &until);
#else
        pthread_cond_wait(&c, &m);
#endif
    }
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    set = 1;
    pthread_cond_signal(&c);
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    pthread_join(thread, NULL);
    return 0;
}
