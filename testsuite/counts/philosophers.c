// N philosophers, the last of whom takes the forks in the other order.
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=6 blocked=0
// leno[--symmetry off]: cflags=-DN=4 verdict=safe executions=14 blocked=0
// leno[--symmetry off]: cflags=-DN=5 verdict=safe executions=30 blocked=0
// leno[--symmetry off]: cflags=-DN=6 verdict=safe executions=62 blocked=0
// leno[--symmetry off --search source]: cflags=-DN=3 verdict=safe executions=6
// leno[--symmetry off --search source]: cflags=-DN=4 verdict=safe executions=14
// leno[--symmetry off --search source]: cflags=-DN=5 verdict=safe executions=30
// leno[--symmetry off --search source]: cflags=-DN=6 verdict=safe executions=62
#include <pthread.h>

static pthread_mutex_t forks[N];

static void *dine(void *argument)
{
    int i = (int)(long)argument, left = i, right = (i + 1) % N;
    int first = left < right ? left : right, second = left + right - first;
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
