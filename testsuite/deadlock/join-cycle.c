// Two threads wait for each other's end; or three.
// leno: verdict=bug kind=deadlock message~"T1 and T2 wait for each other"
// leno: cflags=-DTHREE verdict=bug kind=deadlock message~"wait for each other"
#include <pthread.h>
#include <semaphore.h>

static pthread_t threads[3];
static sem_t ready;

static void *join(void *which)
{
    sem_wait(&ready);
    pthread_join(threads[(long)which], NULL);
    return NULL;
}

int main(void)
{
#ifdef THREE
    long n = 3;
#else
    long n = 2;
#endif
    sem_init(&ready, 0, 0);
    for (long i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, join, (void *)((i + 1) % n));
    for (long i = 0; i < n; i++)
        sem_post(&ready);
    pthread_exit(NULL);
}
