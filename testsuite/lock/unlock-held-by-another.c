// A lock is handed over by having the other thread unlock it, which mutexes do not allow
// and semaphores do.
// leno: verdict=bug kind=lock message="unlocks a mutex that it does not hold" related="main locked it here, line 30"
// leno: cflags=-DSEMAPHORE verdict=safe
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;

static void *finish(void *unused)
{
#ifdef SEMAPHORE
    sem_post(&s);
#else
    pthread_mutex_unlock(&m);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&s, 0, 1);
#ifdef SEMAPHORE
    sem_wait(&s);
    pthread_create(&thread, NULL, finish, NULL);
    sem_wait(&s);
#else
    pthread_mutex_lock(&m);
    pthread_create(&thread, NULL, finish, NULL);
#endif
    pthread_join(thread, NULL);
    return 0;
}
