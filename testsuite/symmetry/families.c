// Two threads have made different numbers of things before: blocks that they have freed,
// threads that they have joined. Nothing of it is left, so they can change places; and with
// them what they will make, the next one of the one with the next one of the other.
//
// Which of them hands its block to the third one makes no difference: half the executions.
// leno[--explain-symmetry]: verdict=safe symmetric~"T1 T2 at 47"
// leno[--symmetry off]: verdict=safe executions=4
// leno[--symmetry on]: verdict=safe executions=2
// What happens to the block goes wrong, and that is found.
// leno[--symmetry off]: cflags="-DWRONG" verdict=bug kind=assert
// leno[--symmetry on]: cflags="-DWRONG" verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct block {
    _Atomic int value;
};

static _Atomic(struct block *) given;
static atomic_int taken;

static void *nothing(void *arg) { return arg; }

static void *fill(void *block)
{
    atomic_store(&((struct block *)block)->value, 1);
    return NULL;
}

static void with_child(void *(*what)(void *), void *arg)
{
    pthread_t child;
    pthread_create(&child, NULL, what, arg);
    pthread_join(child, NULL);
}

static void *give(void *arg)
{
    if (arg) {
        free(malloc(100));
        free(malloc(20));
        with_child(nothing, NULL);
    }
    arg = NULL;
    if (atomic_exchange(&taken, 1) == 0) {
        struct block *block = calloc(1, sizeof *block);
#ifdef WRONG
        atomic_store(&given, block);
        with_child(fill, block);
#else
        with_child(fill, block);
        atomic_store(&given, block);
#endif
    }
    return arg;
}

static void *look(void *arg)
{
    struct block *block = atomic_load(&given);
    assert(!block || atomic_load(&block->value) == 1);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, give, NULL);
    pthread_create(&threads[1], NULL, give, &taken);
    pthread_create(&threads[2], NULL, look, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
