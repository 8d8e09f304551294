// Three threads are about to take a pointer that leads to something of the last one's, and
// whoever takes it first wipes out what told that one apart from the others: see
// docs/symmetry.md. The last one must be tried in the first one's place all the same.
// leno[--symmetry off]: verdict=bug kind=assert
// leno[--symmetry on]: verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static _Atomic(int *) somewhere;
static sem_t prepared, start;

static void *take(void *first)
{
    int own = 0;
    if (first) {
        atomic_store(&somewhere, &own);
        sem_post(&prepared);
    }
    sem_wait(&start);
    assert(atomic_exchange(&somewhere, NULL) != &own);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&prepared, 0, 0);
    sem_init(&start, 0, 0);
    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, take, NULL);
    pthread_create(&threads[2], NULL, take, &start);
    sem_wait(&prepared);
    for (int i = 0; i < 3; i++)
        sem_post(&start);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
