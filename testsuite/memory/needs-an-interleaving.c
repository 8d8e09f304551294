// The block is freed by the last who lets go. One of the two counts without the lock, and
// only if both are between the two lines does a thread use what the other has freed.
// leno[--property memory]: verdict=bug kind=memory message="reads 4 bytes of a block of 8 bytes that has been freed" related~"freed it here"
// leno[--property memory --search naive]: verdict=bug kind=memory
// leno: cflags=-DTOGETHER verdict=safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    atomic_int owners;
    int value;
};

static struct shared *object;

static void *let_go(void *unused)
{
#ifdef TOGETHER
    int value = object->value;
    if (atomic_fetch_sub(&object->owners, 1) == 1)
        free(object);
#else
    if (atomic_fetch_sub(&object->owners, 1) == 1)
        free(object);
    int value = object->value;
#endif
    return value ? unused : NULL;
}

int main(void)
{
    pthread_t a, b;
    object = malloc(sizeof *object);
    object->owners = 2;
    object->value = 7;
    pthread_create(&a, NULL, let_go, NULL);
    pthread_create(&b, NULL, let_go, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
