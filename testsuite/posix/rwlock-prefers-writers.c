// Where writers are preferred, who reads and wants to read once more waits for a writer that
// waits for him; where they are not, he does not.
// leno: cflags=-DKIND=PTHREAD_RWLOCK_PREFER_READER_NP verdict=safe
// leno: cflags=-DKIND=PTHREAD_RWLOCK_PREFER_WRITER_NP verdict=safe
// leno: cflags=-DKIND=PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP verdict=bug kind=deadlock object~lock
// leno: cflags="-DKIND=PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP -DTIMED" verdict=safe
// leno: cflags="-DKIND=PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP -DONCE" verdict=safe
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock;
static int value;

static void *write_it(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    value++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static int read_again(void)
{
#ifdef ONCE
    return EBUSY;
#elif defined TIMED
    struct timespec past = { .tv_sec = 1 };
    return pthread_rwlock_timedrdlock(&lock, &past);
#else
    return pthread_rwlock_rdlock(&lock);
#endif
}

int main(void)
{
    pthread_t a, b;
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, KIND);
    pthread_rwlock_init(&lock, &attributes);
    pthread_create(&a, NULL, write_it, NULL);
    pthread_create(&b, NULL, write_it, NULL);
    pthread_rwlock_rdlock(&lock);
    int seen = value;
    if (read_again() == 0)
        pthread_rwlock_unlock(&lock);
    assert(seen == value);
    pthread_rwlock_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
