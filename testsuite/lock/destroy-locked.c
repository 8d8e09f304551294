// Whether the mutex is still locked when it is destroyed depends on who is first.
// leno: verdict=bug kind=lock message="destroys a mutex that is locked" related="T1 (work) locked it here, line 12"
// leno: cflags=-DJOIN verdict=safe
#include <pthread.h>

static pthread_mutex_t m;
static pthread_barrier_t ready;
static int count;

static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_barrier_wait(&ready);
    count++;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_init(&m, NULL);
    pthread_barrier_init(&ready, NULL, 2);
    pthread_create(&thread, NULL, work, NULL);
    pthread_barrier_wait(&ready);
#ifdef JOIN
    pthread_join(thread, NULL);
    pthread_mutex_destroy(&m);
#else
    pthread_mutex_destroy(&m);
    pthread_join(thread, NULL);
#endif
    return 0;
}
