// A semaphore of one is a mutex; N threads, N! orders.
// leno[--symmetry off]: cflags=-DN=2 verdict=safe executions=2
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=6
// leno[--symmetry off]: cflags=-DN=4 verdict=safe executions=24
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;
static int counter;

static void *count(void *unused)
{
    sem_wait(&semaphore);
    counter++;
    sem_post(&semaphore);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    sem_init(&semaphore, 0, 1);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(counter == N);
    sem_destroy(&semaphore);
    return 0;
}
