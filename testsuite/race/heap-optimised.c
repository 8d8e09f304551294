// The place of an allocation is known also where the optimiser knows what malloc does.
// leno: cflags=-O2 verdict=bug kind=race object~"heap-optimised.c:14"
#include <pthread.h>
#include <stdlib.h>

static void *work(void *block)
{
    *(int *)block = 1;
    return NULL;
}

int main(void)
{
    int *block = malloc(sizeof *block);
    pthread_t thread;
    pthread_create(&thread, NULL, work, block);
    *block = 2;
    pthread_join(thread, NULL);
    free(block);
    return 0;
}
