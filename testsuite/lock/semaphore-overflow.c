// leno: verdict=bug kind=lock message~"largest value already, and ignores the error" related~"initialised it here, line 12"
// leno: cflags=-DLOOK verdict=safe
// leno: cflags=-DINIT verdict=bug kind=lock message~"initialises a semaphore with more"
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <semaphore.h>

int main(void)
{
    sem_t s;
    sem_init(&s, 0, SEM_VALUE_MAX - 1);
    sem_post(&s);
#ifdef LOOK
    assert(sem_post(&s) == -1 && errno == EOVERFLOW);
    assert(sem_wait(&s) == 0);
#elif defined INIT
    sem_init(&s, 0, 1u + SEM_VALUE_MAX);
#else
    sem_post(&s);
#endif
    return 0;
}
