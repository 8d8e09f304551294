// A spin lock that is tried.
// leno: cflags=-DCHECK=1 verdict=safe
// leno: cflags=-DCHECK=0 verdict=bug kind=race object=counter
#include <errno.h>
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *count(void *unused)
{
    int error = pthread_spin_trylock(&lock);
    assert(error == 0 || error == EBUSY);
    if (error == 0 || !CHECK)
        counter++;
    if (error == 0)
        pthread_spin_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&lock, PTHREAD_PROCESS_SHARED);
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_spin_destroy(&lock);
    return 0;
}
