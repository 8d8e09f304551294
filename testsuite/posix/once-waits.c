// Who comes second waits until the routine has run, also if it waits itself.
// leno: cflags=-DPOST=1 verdict=safe
// leno: cflags=-DPOST=0 verdict=bug kind=deadlock
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t go;
static int made;

static void make(void)
{
    sem_wait(&go);
    made = 1;
}

static void *use(void *unused)
{
    pthread_once(&once, make);
    assert(made == 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&go, 0, 0);
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    if (POST)
        sem_post(&go);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
