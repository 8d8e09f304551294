// The value of a semaphore is of the moment: a decision by it comes too late.
// leno: cflags=-DRELY=0 verdict=safe
// leno: cflags=-DRELY=1 verdict=bug kind=deadlock object=sem
// leno: cflags=-DRELY=2 verdict=bug kind=assert message~"value == 1"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t sem;

static void *take(void *unused)
{
    int value;
    assert(sem_getvalue(&sem, &value) == 0 && value >= 0 && value <= 1);
    if (RELY == 2)
        assert(value == 1);
    if (RELY == 1) {
        if (value > 0)
            sem_wait(&sem);
    } else {
        sem_trywait(&sem);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&sem, 0, 1);
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
