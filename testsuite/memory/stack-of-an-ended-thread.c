// The thread leaves a pointer to its local variable behind, and may have ended when it is
// used. That nobody else has that memory yet does not matter.
// leno[--property memory]: verdict=bug kind=memory message="reads 4 bytes of the stack of a thread that has ended" related="the same thread created it here, line 33"
// leno: cflags=-DTLS verdict=bug kind=memory
// leno: cflags=-DJOINED verdict=safe
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static int *left;
static sem_t ready, done;
static _Thread_local int in_tls = 3;

static void *leave(void *unused)
{
    int local = 3;
    left = &local;
#ifdef TLS
    left = &in_tls;
#endif
    sem_post(&ready);
#ifdef JOINED
    sem_wait(&done);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&ready, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, leave, NULL);
    sem_wait(&ready);
    int copy = *left;
    sem_post(&done);
    pthread_join(thread, NULL);
    return copy != 3;
}
