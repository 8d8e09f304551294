// Treiber's stack: N threads push an element each.
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=48 blocked=0
// leno[--symmetry off]: cflags=-DN=4 verdict=safe executions=1536 blocked=0
// leno[--symmetry off --search source]: cflags=-DN=3 verdict=safe executions=48
// leno[--symmetry off --search source]: cflags=-DN=4 verdict=safe executions=1536
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *below;
};

static _Atomic(struct node *) top;
static struct node nodes[N];

static void *push(void *argument)
{
    struct node *own = argument, *seen = atomic_load(&top);
    do
        own->below = seen;
    while (!atomic_compare_exchange_strong(&top, &seen, own));
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int height = 0;
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, push, &nodes[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (struct node *at = top; at; at = at->below)
        height++;
    assert(height == N);
    return 0;
}
