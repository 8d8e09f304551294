// A reader that reads again while a writer waits: with a preference for writers this is a
// deadlock, without one it is not. leno knows no preference.
// leno: cflags=-DWRITE=0 verdict=safe
// leno: cflags=-DWRITE=1 verdict=bug kind=deadlock object=lock
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock;

static void *read_twice(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    if (WRITE)
        pthread_rwlock_wrlock(&lock);
    else
        pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_rwlockattr_t attributes;
    int kind;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_READER_NP);
    pthread_rwlockattr_getkind_np(&attributes, &kind);
    assert(kind == PTHREAD_RWLOCK_PREFER_READER_NP);
    pthread_rwlock_init(&lock, &attributes);
    pthread_rwlockattr_destroy(&attributes);
    pthread_create(&thread, NULL, read_twice, NULL);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_rwlock_destroy(&lock);
    return 0;
}
