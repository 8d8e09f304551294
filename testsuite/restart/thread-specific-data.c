// Keys, their values and their destructors.
// leno: verdict=safe coverage=exhaustive
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int destroyed;

static void destroy(void *value)
{
    free(value);
    pthread_mutex_lock(&lock);
    destroyed++;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(!pthread_getspecific(key));
    pthread_setspecific(key, malloc(9));
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    static pthread_key_t expected;
    assert(expected == 0 && destroyed == 0);
    assert(!pthread_key_create(&key, destroy) && !pthread_getspecific(key));
    pthread_setspecific(key, malloc(3));
    expected = key + 1;
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
