// Each thread takes a lock that is a variable, by compare-exchanges until one succeeds. Only
// the orders in which they get it are executions: who fails has looked too early.
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=6
// leno[--symmetry off]: cflags=-DN=4 verdict=safe executions=24
// leno[--symmetry off --search source]: cflags=-DN=4 verdict=safe executions=24
// leno[--symmetry off]: cflags="-DN=3 -DNEVER" verdict=bug kind=termination object=taken
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;
static int counter;

static void *body(void *unused)
{
    int free;
    do
        free = 0;
    while (!atomic_compare_exchange_strong(&taken, &free, 1));
    counter++;
#ifndef NEVER
    atomic_store(&taken, 0);
#endif
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, body, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
