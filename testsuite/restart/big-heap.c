// 200 MB of heap in each execution, and the blocks are where they were.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum { SIZE = 200 << 20 };
static char *other;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    char *mine = malloc(1 << 20);
    assert(mine[5000] == 0 && mine != other);
    mine[5000] = 1;
    other = mine;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    char *block = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i += 1 << 16) {
        assert(block[i] == 0);
        block[i] = 1;
    }
    free(block);
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
