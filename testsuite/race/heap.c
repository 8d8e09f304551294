// A block of the heap that two threads write.
// leno: verdict=bug kind=race object~"heap block"
#include <pthread.h>
#include <stdlib.h>

static void *work(void *block)
{
    *(int *)block = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int *block = malloc(sizeof *block);
    pthread_create(&thread, NULL, work, block);
    *block = 2;
    pthread_join(thread, NULL);
    free(block);
    return 0;
}
