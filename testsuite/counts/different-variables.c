// N threads, each on a variable of its own: nothing to reorder.
// leno[--symmetry off]: cflags=-DN=2 verdict=safe executions=1
// leno[--symmetry off]: cflags=-DN=6 verdict=safe executions=1 blocked=0
#include <pthread.h>

static int slots[N];

static void *work(void *slot)
{
    for (int i = 0; i < 3; i++)
        ++*(int *)slot;
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, &slots[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return slots[0] - 3;
}
