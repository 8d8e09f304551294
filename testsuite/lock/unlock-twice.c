// leno: verdict=bug kind=lock message="unlocks a mutex that nobody holds" related="the same thread unlocked it here, line 13"
// leno: cflags=-DTYPE=PTHREAD_MUTEX_RECURSIVE verdict=bug kind=lock message="unlocks a mutex that nobody holds, and ignores the error"
// leno: cflags="-DTYPE=PTHREAD_MUTEX_ERRORCHECK -DLOOK" verdict=safe
// leno[--property race,deadlock]: verdict=safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void use(pthread_mutex_t *m)
{
    pthread_mutex_lock(m);
    /* The error of the second unlock is the mutex's own doing. */
    pthread_mutex_unlock(m);
#ifdef LOOK
    assert(pthread_mutex_unlock(m) == EPERM);
#else
    pthread_mutex_unlock(m);
#endif
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t m;
    pthread_mutexattr_init(&attributes);
#ifdef TYPE
    pthread_mutexattr_settype(&attributes, TYPE);
#endif
    pthread_mutex_init(&m, &attributes);
    use(&m);
    return 0;
}
