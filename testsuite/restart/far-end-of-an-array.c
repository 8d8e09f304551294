// Large arrays on the stack of which only the far end is used: what lies there at first is
// the same in every execution.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void use(volatile char *end)
{
    assert(*end == 0);
    *end = 1;
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    volatile char array[1 << 20];
    use(array);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    volatile char array[3 << 20];
    use(array);
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
