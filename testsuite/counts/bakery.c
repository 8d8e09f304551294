// Lamport's bakery: who has drawn the lowest number goes first.
// leno[--symmetry off]: cflags=-DN=2 verdict=safe executions=9 blocked=13
// leno[--symmetry off --search source]: cflags=-DN=2 verdict=safe executions=9
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int choosing[N], number[N];
static int inside;

static void *work(void *argument)
{
    int me = (int)(long)argument, most = 0;
    atomic_store(&choosing[me], 1);
    for (int i = 0; i < N; i++) {
        int drawn = atomic_load(&number[i]);
        if (drawn > most)
            most = drawn;
    }
    atomic_store(&number[me], most + 1);
    atomic_store(&choosing[me], 0);
    for (int i = 0; i < N; i++) {
        if (i == me)
            continue;
        while (atomic_load(&choosing[i]))
            ;
        for (int other; (other = atomic_load(&number[i])) != 0;)
            if (other > most + 1 || (other == most + 1 && i > me))
                break;
    }
    assert(inside++ == 0);
    inside--;
    atomic_store(&number[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
