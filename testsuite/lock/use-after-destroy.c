// Each kind of object is used after it was destroyed, and is not if it was made anew.
// leno: cflags=-DKIND=0 verdict=bug kind=lock message="locks a mutex that has been destroyed" related="the same thread destroyed it here, line 25"
// leno: cflags=-DKIND=1 verdict=bug kind=lock message="signals a condition variable that has been destroyed"
// leno: cflags=-DKIND=2 verdict=bug kind=lock message="locks a read-write lock that has been destroyed"
// leno: cflags=-DKIND=3 verdict=bug kind=lock message="waits for a semaphore that has been destroyed"
// leno: cflags=-DKIND=4 verdict=bug kind=lock message="waits at a barrier that has been destroyed"
// leno: cflags=-DKIND=5 verdict=bug kind=lock message="locks a mutex that has been destroyed"
// leno: cflags="-DKIND=0 -DANEW" verdict=safe
// leno: cflags="-DKIND=1 -DANEW" verdict=safe
// leno: cflags="-DKIND=2 -DANEW" verdict=safe
// leno: cflags="-DKIND=3 -DANEW" verdict=safe
// leno: cflags="-DKIND=4 -DANEW" verdict=safe
// leno: cflags="-DKIND=5 -DANEW" verdict=safe
#include <pthread.h>
#include <semaphore.h>

#if KIND == 0
static pthread_mutex_t x;
static void make(void) { pthread_mutex_init(&x, 0); }
static void use(void)
{
    pthread_mutex_lock(&x);
    pthread_mutex_unlock(&x);
}
static void destroy(void) { pthread_mutex_destroy(&x); }
#elif KIND == 1
static pthread_cond_t x;
static void make(void) { pthread_cond_init(&x, 0); }
static void use(void) { pthread_cond_signal(&x); }
static void destroy(void) { pthread_cond_destroy(&x); }
#elif KIND == 2
static pthread_rwlock_t x;
static void make(void) { pthread_rwlock_init(&x, 0); }
static void use(void)
{
    pthread_rwlock_rdlock(&x);
    pthread_rwlock_unlock(&x);
}
static void destroy(void) { pthread_rwlock_destroy(&x); }
#elif KIND == 3
static sem_t x;
static void make(void) { sem_init(&x, 0, 1); }
static void use(void) { sem_wait(&x); }
static void destroy(void) { sem_destroy(&x); }
#elif KIND == 4
static pthread_barrier_t x;
static void make(void) { pthread_barrier_init(&x, 0, 1); }
static void use(void) { pthread_barrier_wait(&x); }
static void destroy(void) { pthread_barrier_destroy(&x); }
#else
static pthread_spinlock_t x;
static void make(void) { pthread_spin_init(&x, 0); }
static void use(void)
{
    pthread_spin_lock(&x);
    pthread_spin_unlock(&x);
}
static void destroy(void) { pthread_spin_destroy(&x); }
#endif

int main(void)
{
    make();
    use();
    destroy();
#ifdef ANEW
    make();
#endif
    use();
    return 0;
}
