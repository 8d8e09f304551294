// Instructions that leno does not know, on memory that the operands name: an ordinary read and
// write.
// leno: verdict=bug kind=race object=counter
// leno[--symmetry off]: cflags=-DLOCK verdict=safe executions=2
#include <assert.h>
#include <pthread.h>

static int counter = 1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *turn(void *unused)
{
#ifdef LOCK
    pthread_mutex_lock(&mutex);
#endif
    __asm__ volatile("roll $1, %0" : "+m"(counter) : : "cc");
#ifdef LOCK
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, turn, NULL);
    pthread_create(&b, NULL, turn, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 4);
    return 0;
}
