// leno: verdict=bug kind=deadlock message="deadlock: main and T1 wait for ever" related=
// leno: cflags=-DPOST verdict=safe
// leno: cflags=-DEARLY verdict=safe
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

#ifdef EARLY
/* a constructor runs before there is anything to check */
__attribute__((constructor)) static void make(void) { sem_init(&s, 0, 1); }
#endif

static void *wait(void *unused)
{
    sem_wait(&s);
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifndef EARLY
    sem_init(&s, 0, 0);
#endif
    pthread_create(&thread, NULL, wait, NULL);
#ifdef POST
    sem_post(&s);
#endif
    pthread_join(thread, NULL);
    return 0;
}
