// One thread looks for the last zero of an array, the others add to its elements.
// leno[--symmetry off]: cflags=-DN=5 verdict=safe executions=64 blocked=0
// leno[--symmetry off]: cflags=-DN=9 verdict=safe executions=1536 blocked=0
// leno[--symmetry off]: cflags=-DN=10 verdict=safe executions=3328 blocked=0
// leno[--symmetry off]: cflags=-DN=12 verdict=safe executions=15360 blocked=0
// leno[--symmetry off --search source]: cflags=-DN=9 verdict=safe executions=1536
#include <pthread.h>
#include <stdatomic.h>

static atomic_int array[N + 1];

static void *search(void *unused)
{
    for (int i = N; atomic_load(&array[i]) != 0; i--)
        ;
    return unused;
}

static void *add(void *argument)
{
    int j = (int)(long)argument;
    atomic_store(&array[j], atomic_load(&array[j - 1]) + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];
    pthread_create(&threads[0], NULL, search, NULL);
    for (long i = 1; i <= N; i++)
        pthread_create(&threads[i], NULL, add, (void *)i);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
