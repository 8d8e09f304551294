// A flag that is set before the free does not keep the other thread from writing later.
// leno: verdict=bug kind=race
// leno[--property memory]: verdict=bug kind=memory
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int gone;
static int *number;

static void *use(void *unused)
{
    if (!atomic_load(&gone))
        *number = 3;
    return unused;
}

int main(void)
{
    pthread_t thread;
    number = malloc(sizeof *number);
    pthread_create(&thread, NULL, use, NULL);
    atomic_store(&gone, 1);
    free(number);
    pthread_join(thread, NULL);
    return 0;
}
