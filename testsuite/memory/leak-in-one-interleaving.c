// Each thread puts its block where the other's may be already.
// leno[--property leak]: verdict=bug kind=leak related=
// leno[--property leak]: cflags=-DSWAP verdict=safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) slot;

static void *put(void *unused)
{
    int *mine = calloc(1, sizeof *mine);
#ifdef SWAP
    free(atomic_exchange(&slot, mine));
#else
    free(atomic_load(&slot));
    atomic_store(&slot, mine);
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, put, NULL);
    pthread_create(&b, NULL, put, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
