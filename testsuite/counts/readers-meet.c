// Two readers of a lock wait for each other inside, and a writer comes before or after them.
// That a reader cannot come and go before the writer without the other is not known before
// it is tried; from then on their acquisitions do not commute (docs/dependence.md), so that
// nothing is begun in vain: two orders of them, before and after the writer.
// leno[--symmetry off]: verdict=safe executions=4 blocked=0
// leno[--search source --symmetry off]: verdict=safe executions=2
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t came[2];

static void *write_it(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *first(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    sem_post(&came[0]);
    sem_wait(&came[1]);
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *second(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    sem_post(&came[1]);
    sem_wait(&came[0]);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&came[0], 0, 0);
    sem_init(&came[1], 0, 0);
    pthread_create(&threads[0], NULL, write_it, NULL);
    pthread_create(&threads[1], NULL, first, NULL);
    pthread_create(&threads[2], NULL, second, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
