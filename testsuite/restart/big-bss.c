// 64 MB that are touched sparsely.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char big[64 << 20];
static char *const spot = &big[12345678];

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    ++*spot;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    for (size_t i = 0; i < sizeof big; i += 1 << 20) {
        assert(big[i] == 0);
        big[i] = 1;
    }
    assert(*spot == 0);
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
