// Michael and Scott's queue: N threads put an element each.
// leno[--symmetry off]: cflags=-DN=2 verdict=safe executions=6 blocked=4
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=126 blocked=126
// leno[--symmetry off --search source]: cflags=-DN=2 verdict=safe executions=6
// leno[--symmetry off --search source]: cflags=-DN=3 verdict=safe executions=126
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
};

static struct node nodes[N + 1];
static _Atomic(struct node *) tail = &nodes[N];

static void *put(void *argument)
{
    struct node *own = argument;
    for (;;) {
        struct node *last = atomic_load(&tail), *next = atomic_load(&last->next);
        if (next) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&last->next, &next, own)) {
            atomic_compare_exchange_strong(&tail, &last, own);
            return NULL;
        }
    }
}

int main(void)
{
    pthread_t threads[N];
    int length = 0;
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, put, &nodes[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (struct node *at = atomic_load(&nodes[N].next); at; at = atomic_load(&at->next))
        length++;
    assert(length == N);
    return 0;
}
