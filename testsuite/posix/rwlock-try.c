// Attempts at a read-write lock fail while it is held the wrong way.
// leno: cflags=-DCHECK=1 verdict=safe
// leno: cflags=-DCHECK=0 verdict=bug kind=race object=value
#include <errno.h>
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *write_it(void *unused)
{
    int error = pthread_rwlock_trywrlock(&lock);
    assert(error == 0 || error == EBUSY);
    if (error == 0 || !CHECK)
        value++;
    if (error == 0)
        pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, write_it, NULL);
    pthread_create(&b, NULL, write_it, NULL);
    if (pthread_rwlock_tryrdlock(&lock) == 0) {
        assert(value >= 0 && value <= 2);
        pthread_rwlock_unlock(&lock);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
