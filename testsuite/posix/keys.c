// Thread-specific data is each thread's own; its destructor runs at the thread's end.
// leno: cflags=-DOWN=1 verdict=safe
// leno: cflags=-DOWN=0 verdict=bug kind=race
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int destroyed, shared;

static void destroy(void *value)
{
    pthread_mutex_lock(&mutex);
    destroyed++;
    pthread_mutex_unlock(&mutex);
    if (value != &shared)
        free(value);
}

static void *work(void *argument)
{
    int *own = OWN ? malloc(sizeof *own) : &shared;
    assert(pthread_getspecific(key) == NULL);
    pthread_setspecific(key, own);
    *own = (int)(long)argument;
    assert(!OWN || *(int *)pthread_getspecific(key) == (int)(long)argument);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    assert(pthread_key_create(&key, destroy) == 0);
    pthread_create(&a, NULL, work, (void *)1L);
    pthread_create(&b, NULL, work, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(destroyed == 2);
    pthread_key_delete(key);
    return 0;
}
