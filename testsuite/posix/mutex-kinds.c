// The kinds and protocols of mutexes.
// leno: cflags=-DKIND=PTHREAD_MUTEX_RECURSIVE verdict=safe
// leno: cflags=-DKIND=PTHREAD_MUTEX_ERRORCHECK verdict=bug kind=assert
// leno: cflags=-DKIND=PTHREAD_MUTEX_NORMAL verdict=bug kind=deadlock object=mutex
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int counter;

static void *count(void *unused)
{
    pthread_mutex_lock(&mutex);
    int again = pthread_mutex_lock(&mutex);
    counter++;
    assert(again == 0);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t attributes;
    int value;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, KIND);
    pthread_mutexattr_gettype(&attributes, &value);
    assert(value == KIND);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_getprotocol(&attributes, &value);
    assert(value == PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    pthread_mutex_destroy(&mutex);
    return 0;
}
