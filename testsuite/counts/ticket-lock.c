// Each thread draws a ticket and waits until it is served.
// leno[--symmetry off]: cflags=-DN=2 verdict=safe executions=2 blocked=2
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=6 blocked=24
// leno[--symmetry off --search source]: cflags=-DN=2 verdict=safe executions=2
// leno[--symmetry off --search source]: cflags=-DN=3 verdict=safe executions=6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int next_ticket, served;
static int inside;

static void *work(void *unused)
{
    int ticket = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&served) != ticket)
        ;
    assert(inside++ == 0);
    inside--;
    atomic_store(&served, ticket + 1);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
