// Allocations of different threads commute.
// leno: verdict=safe executions=1
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *work(void *unused)
{
    for (int i = 1; i < 4; i++) {
        char *block = malloc(16 * i);
        memset(block, i, 16 * i);
        free(block);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
