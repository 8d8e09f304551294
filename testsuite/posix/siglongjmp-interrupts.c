// A signal of another thread takes a thread out of whatever it waits for, by a jump.
// leno: cflags=-DJUMPS=1 verdict=safe
// leno: cflags=-DJUMPS=0 verdict=bug kind=deadlock
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf place;
static sem_t never, ready;

static void handle(int number)
{
    (void)number;
    if (JUMPS)
        siglongjmp(place, 1);
}

static void *work(void *unused)
{
    if (sigsetjmp(place, 1) == 0) {
        sem_post(&ready);
        sem_wait(&never);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
    sigaction(SIGUSR1, &action, NULL);
    sem_init(&never, 0, 0);
    sem_init(&ready, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    sem_wait(&ready);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
