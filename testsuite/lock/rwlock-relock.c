// Who writes waits in vain to write or to read, who reads may read again.
// leno: cflags="-DFIRST=wrlock -DSECOND=wrlock" verdict=bug kind=deadlock
// leno: cflags="-DFIRST=wrlock -DSECOND=rdlock" verdict=bug kind=deadlock
// leno: cflags="-DFIRST=rdlock -DSECOND=wrlock" verdict=bug kind=deadlock
// leno: cflags="-DFIRST=rdlock -DSECOND=rdlock" verdict=safe
#include <pthread.h>

#define PASTE(a, b) a##b
#define CALL(what, l) PASTE(pthread_rwlock_, what)(l)

int main(void)
{
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    CALL(FIRST, &l);
    CALL(SECOND, &l);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
    return 0;
}
