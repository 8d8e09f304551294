// N philosophers take the left fork first; or the last one is left-handed.
// leno: cflags="-DN=3 -DRIGHT=0" verdict=bug kind=deadlock
// leno[--keep-going]: cflags="-DN=3 -DRIGHT=0" verdict=bug kind=deadlock bugs=1 coverage=exhaustive
// leno: cflags="-DN=3 -DRIGHT=1" verdict=safe
#include <pthread.h>

static pthread_mutex_t forks[N];

static void *dine(void *argument)
{
    long seat = (long)argument;
    long first = seat, second = (seat + 1) % N;
    if (RIGHT && seat == N - 1) {
        first = second;
        second = seat;
    }
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
