// Two threads can change places, but the others make source sets begin so much in vain that
// cutting does not pay: the search gives it up, and has one execution for each trace.
// leno: cflags="-DN=9 -O1" verdict=safe executions=3072 blocked=0
// leno[--symmetry off]: cflags="-DN=9 -O1" verdict=safe executions=3072 blocked=0
// leno[--search source]: cflags="-DN=9 -O1" verdict=safe executions=1536
// Where it is short it does not matter.
// leno: cflags="-DN=6 -O1" verdict=safe executions=144
#include <pthread.h>
#include <stdatomic.h>

static atomic_int number[N + 1], count;
static int places[N + 1];

static void *last_zero(void *unused)
{
    int place = N;
    while (atomic_load(&number[place]) != 0)
        place--;
    return unused;
}

static void *set(void *place)
{
    int own = *(int *)place;
    atomic_store(&number[own], atomic_load(&number[own - 1]) + 1);
    return NULL;
}

static void *same(void *unused)
{
    atomic_fetch_add(&count, 1);
    return unused;
}

int main(void)
{
    pthread_t threads[N + 3];
    for (int i = 1; i <= N; i++) {
        places[i] = i;
        pthread_create(&threads[i], NULL, set, &places[i]);
    }
    pthread_create(&threads[0], NULL, last_zero, NULL);
    pthread_create(&threads[N + 1], NULL, same, NULL);
    pthread_create(&threads[N + 2], NULL, same, NULL);
    for (int i = 0; i < N + 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
