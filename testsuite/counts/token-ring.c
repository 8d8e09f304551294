// N threads copy their neighbour's value plus one, and all are read at the end.
// leno[--symmetry off]: cflags=-DN=4 verdict=safe executions=15 blocked=0
// leno[--symmetry off]: cflags=-DN=6 verdict=safe executions=63 blocked=0
// leno[--symmetry off --search source]: cflags=-DN=4 verdict=safe executions=15
// leno[--symmetry off --search source]: cflags=-DN=6 verdict=safe executions=63
#include <pthread.h>
#include <stdatomic.h>

static atomic_int token[N];

static void *pass(void *argument)
{
    int i = (int)(long)argument;
    atomic_store(&token[i], atomic_load(&token[(i + N - 1) % N]) + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, pass, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
