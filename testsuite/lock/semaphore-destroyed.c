// The semaphore is destroyed under the thread that waits for it, or is about to.
// leno: verdict=bug kind=lock message="waits for a semaphore that has been destroyed" related="main destroyed it here, line 27"
// leno: cflags=-DPOST verdict=safe
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *wait(void *unused)
{
    sem_wait(&s);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&s, 0, 0);
    pthread_create(&thread, NULL, wait, NULL);
#ifdef POST
    sem_post(&s);
    pthread_join(thread, NULL);
    sem_destroy(&s);
#else
    /* main returns while the other waits, which alone would be no deadlock */
    pthread_detach(thread);
    sem_destroy(&s);
#endif
    return 0;
}
