// Mellor-Crummey and Scott's queue lock, taken once by each thread. With ONE_SPIN a
// thread that would have to look twice is not of interest. With OWN a thread's node is a
// variable of its own.
// leno[--symmetry off]: cflags=-DN=2 verdict=safe executions=6 blocked=6
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=66 blocked=102
// leno[--symmetry off --search source]: cflags=-DN=3 verdict=safe executions=66 blocked=102
// leno[--symmetry off]: cflags="-DN=3 -DOWN" verdict=safe executions=66 blocked=102
// leno[--symmetry on]: cflags="-DN=3 -DOWN" verdict=safe
// leno[--symmetry off]: cflags="-DN=2 -DONE_SPIN" verdict=safe executions=6
// leno[--symmetry off]: cflags="-DN=3 -DONE_SPIN" verdict=safe executions=66
// leno[--symmetry off]: cflags="-DN=4 -DONE_SPIN" verdict=safe executions=1080
// leno[--symmetry off --search source]: cflags="-DN=3 -DONE_SPIN" verdict=safe executions=66
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
};

#ifdef ONE_SPIN
void __VERIFIER_assume(int);
#define WAIT_WHILE(condition) __VERIFIER_assume(!(condition))
#else
#define WAIT_WHILE(condition) \
    while (condition)         \
    continue
#endif

static _Atomic(struct node *) tail;
#ifndef OWN
static struct node nodes[N];
#endif
static int inside;

static void *work(void *argument)
{
#ifdef OWN
    struct node node, *own = &node;
    (void)argument;
#else
    struct node *own = argument;
#endif
    atomic_store(&own->next, NULL);
    atomic_store(&own->waits, 1);
    struct node *before = atomic_exchange(&tail, own);
    if (before) {
        atomic_store(&before->next, own);
        WAIT_WHILE(atomic_load(&own->waits));
    }
    assert(inside++ == 0);
    inside--;
    if (!atomic_load(&own->next)) {
        struct node *last = own;
        if (atomic_compare_exchange_strong(&tail, &last, NULL))
            return NULL;
        WAIT_WHILE(!atomic_load(&own->next));
    }
    atomic_store(&atomic_load(&own->next)->waits, 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
#ifdef OWN
        pthread_create(&threads[i], NULL, work, NULL);
#else
        pthread_create(&threads[i], NULL, work, &nodes[i]);
#endif
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
