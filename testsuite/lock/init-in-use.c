// An object is initialised again while another thread uses it, or, with the lock that both
// take, before anybody does.
// leno: cflags=-DKIND=0 verdict=bug kind=lock message="initialises a condition variable that a thread waits for"
// leno: cflags=-DKIND=1 verdict=bug kind=lock message="initialises a read-write lock that is locked"
// leno: cflags=-DKIND=2 verdict=bug kind=lock message="initialises a mutex that is locked" object=x
// leno: cflags="-DKIND=0 -DBEFORE" verdict=safe
// leno: cflags="-DKIND=1 -DBEFORE" verdict=safe
// leno: cflags="-DKIND=2 -DBEFORE" verdict=safe
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

#if KIND == 0
static pthread_cond_t x;
static void make(void) { pthread_cond_init(&x, NULL); }
static void use(void)
{
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&x, &mutex);
    pthread_mutex_unlock(&mutex);
}
static void end(void)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&x);
    pthread_mutex_unlock(&mutex);
}
#elif KIND == 1
static pthread_rwlock_t x;
static void make(void) { pthread_rwlock_init(&x, NULL); }
static void use(void)
{
    pthread_rwlock_rdlock(&x);
    pthread_rwlock_unlock(&x);
}
static void end(void) {}
#else
static pthread_spinlock_t x;
static void make(void) { pthread_spin_init(&x, 0); }
static void use(void)
{
    pthread_spin_lock(&x);
    pthread_spin_unlock(&x);
}
static void end(void) {}
#endif

static void *work(void *unused)
{
    use();
    return unused;
}

int main(void)
{
    pthread_t thread;
    make();
#ifdef BEFORE
    make();
#endif
    pthread_create(&thread, NULL, work, NULL);
#ifndef BEFORE
    make();
#endif
    end();
    pthread_join(thread, NULL);
    (void)ready;
    (void)mutex;
    return 0;
}
