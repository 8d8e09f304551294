// Attempts at a lock, a semaphore or a stream fail while another thread has it.
// leno: cflags="-DKIND=0 -DCAREFUL=1" verdict=safe
// leno: cflags="-DKIND=0 -DCAREFUL=0" verdict=bug kind=assert message~"result == 0"
// leno: cflags="-DKIND=1 -DCAREFUL=1" verdict=safe
// leno: cflags="-DKIND=1 -DCAREFUL=0" verdict=bug kind=assert message~"result == 0"
// leno: cflags="-DKIND=2 -DCAREFUL=1" verdict=safe
// leno: cflags="-DKIND=2 -DCAREFUL=0" verdict=bug kind=assert message~"result == 0"
// leno: cflags="-DKIND=3 -DCAREFUL=1" verdict=safe
// leno: cflags="-DKIND=3 -DCAREFUL=0" verdict=bug kind=assert message~"result == 0"
// leno: cflags="-DKIND=4 -DCAREFUL=1" verdict=safe
// leno: cflags="-DKIND=4 -DCAREFUL=0" verdict=bug kind=assert message~"result == 0"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#if KIND == 0
static pthread_mutex_t x = PTHREAD_MUTEX_INITIALIZER;
#define MAKE()
#define TAKE() pthread_mutex_lock(&x)
#define TRY() pthread_mutex_trylock(&x)
#define GIVE() pthread_mutex_unlock(&x)
#elif KIND == 1
static sem_t x;
#define MAKE() sem_init(&x, 0, 1)
#define TAKE() sem_wait(&x)
#define TRY() sem_trywait(&x)
#define GIVE() sem_post(&x)
#elif KIND == 2
#define MAKE()
#define TAKE() flockfile(stdout)
#define TRY() ftrylockfile(stdout)
#define GIVE() funlockfile(stdout)
#elif KIND == 3
static pthread_rwlock_t x = PTHREAD_RWLOCK_INITIALIZER;
#define MAKE()
#define TAKE() pthread_rwlock_rdlock(&x)
#define TRY() pthread_rwlock_trywrlock(&x)
#define GIVE() pthread_rwlock_unlock(&x)
#else
static pthread_rwlock_t x = PTHREAD_RWLOCK_INITIALIZER;
#define MAKE()
#define TAKE() pthread_rwlock_wrlock(&x)
#define TRY() pthread_rwlock_tryrdlock(&x)
#define GIVE() pthread_rwlock_unlock(&x)
#endif

static void *work(void *unused)
{
    TAKE();
    GIVE();
    return unused;
}

int main(void)
{
    pthread_t thread;
    MAKE();
    pthread_create(&thread, NULL, work, NULL);
    int result = TRY();
    if (!CAREFUL)
        assert(result == 0);
    if (result == 0)
        GIVE();
    pthread_join(thread, NULL);
    return 0;
}
