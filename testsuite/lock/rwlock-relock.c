// Who writes is refused to write or to read, which he should notice; who reads waits in vain
// to write, and may read again.
// leno: cflags="-DFIRST=wrlock -DSECOND=wrlock" verdict=bug kind=lock message="locks a read-write lock that it has locked for writing, and ignores the error" related="the same thread locked it here, line 18"
// leno: cflags="-DFIRST=wrlock -DSECOND=rdlock" verdict=bug kind=lock message="locks a read-write lock that it has locked for writing, and ignores the error"
// leno: cflags="-DFIRST=wrlock -DSECOND=wrlock -DLOOKS" verdict=safe
// leno: cflags="-DFIRST=wrlock -DSECOND=rdlock -DLOOKS" verdict=safe
// leno: cflags="-DFIRST=rdlock -DSECOND=wrlock" verdict=bug kind=deadlock
// leno: cflags="-DFIRST=rdlock -DSECOND=rdlock" verdict=safe
#include <errno.h>
#include <pthread.h>

#define PASTE(a, b) a##b
#define CALL(what, l) PASTE(pthread_rwlock_, what)(l)

int main(void)
{
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    CALL(FIRST, &l);
#ifdef LOOKS
    if (CALL(SECOND, &l) != EDEADLK)
        pthread_rwlock_unlock(&l);
#else
    CALL(SECOND, &l);
    pthread_rwlock_unlock(&l);
#endif
    pthread_rwlock_unlock(&l);
    return 0;
}
