// leno: cflags=-DUNLOCK verdict=bug kind=lock message="unlocks a read-write lock that nobody holds"
// leno[--keep-going]: cflags=-DDESTROY verdict=bug kind=lock message="destroys a read-write lock that is locked" related="T1 (read) locked it here, line 13"
// leno: verdict=safe
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int x;

static void *read(void *unused)
{
    int copy;
#ifndef UNLOCK
    pthread_rwlock_rdlock(&l);
#endif
    copy = *(volatile int *)&x;
    pthread_rwlock_unlock(&l);
    return copy ? NULL : unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, read, NULL);
#ifndef DESTROY
    pthread_join(thread, NULL);
#endif
    pthread_rwlock_destroy(&l);
#ifdef DESTROY
    pthread_join(thread, NULL);
#endif
    return 0;
}
