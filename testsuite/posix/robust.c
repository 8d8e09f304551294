// The owner of a robust mutex dies: the next one is told, and mends what it protects.
// leno: cflags="-DROBUST=PTHREAD_MUTEX_ROBUST -DMEND=1" verdict=safe
// leno: cflags="-DROBUST=PTHREAD_MUTEX_ROBUST -DMEND=0" verdict=bug kind=assert
// leno: cflags="-DROBUST=PTHREAD_MUTEX_STALLED -DMEND=1" verdict=bug kind=deadlock object=mutex
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int left, right;

static void *die(void *unused)
{
    if (pthread_mutex_lock(&mutex) == 0)
        left++;
    return unused; /* with the mutex, and half done */
}

static void *work(void *unused)
{
    int error = pthread_mutex_lock(&mutex);
    if (error == EOWNERDEAD && MEND) {
        right = left;
        assert(pthread_mutex_consistent(&mutex) == 0);
        error = 0;
    }
    if (error == 0)
        assert(left == right);
    else
        assert(error == EOWNERDEAD || error == ENOTRECOVERABLE);
    if (error != ENOTRECOVERABLE)
        pthread_mutex_unlock(&mutex);
    assert(error == 0);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t attributes;
    int robust;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, ROBUST);
    pthread_mutexattr_getrobust(&attributes, &robust);
    assert(robust == ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&a, NULL, die, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
