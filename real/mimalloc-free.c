/* mimalloc: a block that another thread frees, while its own thread allocates. */
#include <assert.h>
#include <mimalloc.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int *) handed;

static void *free_it(void *unused)
{
    int *block = atomic_exchange(&handed, NULL);
    if (block) {
        assert(*block == 7);
        mi_free(block);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    int *block = mi_malloc(sizeof *block);
    *block = 7;
    pthread_create(&thread, NULL, free_it, NULL);
    atomic_store(&handed, block);
    int *other = mi_malloc(sizeof *other);
    *other = 8;
    pthread_join(thread, NULL);
    assert(*other == 8);
    mi_free(other);
    int *left = atomic_exchange(&handed, NULL);
    if (left)
        mi_free(left);
    return 0;
}
