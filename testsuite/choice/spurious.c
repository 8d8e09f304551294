// A wait for a condition variable may end though nobody has woken the thread, once for each as
// --spurious says. Who asks only once whether he has to wait has a bug that only shows if that is
// tried; a lost wake-up is a deadlock all the same.
// leno: cflags=-DIF verdict=safe
// leno[--spurious 1]: verdict=safe
// leno[--spurious 2]: verdict=safe
// leno[--spurious 1]: cflags=-DIF verdict=bug kind=assert
// leno[--spurious 1 --symmetry off]: cflags=-DIF verdict=bug kind=assert
// leno[--spurious 1 --search source]: cflags=-DIF verdict=bug kind=assert
// leno[--spurious 1 --search naive]: cflags=-DIF verdict=bug kind=assert
// leno[--spurious 1 --isolate]: cflags=-DIF verdict=bug kind=assert
// leno[--spurious 1]: cflags="-DIF -DTIMED" verdict=bug kind=assert
// leno[--spurious 3]: cflags=-DLOST verdict=bug kind=deadlock
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, seen;

static int await(void)
{
#ifdef TIMED
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    return pthread_cond_timedwait(&changed, &lock, &soon);
#else
    return pthread_cond_wait(&changed, &lock);
#endif
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
#ifdef IF
    if (!ready)
#else
    while (!ready)
#endif
        if (await())
            goto late;
    assert(ready);
    seen++;
late:
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, consume, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
#ifdef LOST
    pthread_cond_signal(&changed);
#else
    pthread_cond_broadcast(&changed);
#endif
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
