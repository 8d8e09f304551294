// Everybody writes, waits, and reads what the others wrote; one of them is the serial one.
// leno: verdict=safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static int slots[2];
static atomic_int serial;

static void *phase(void *argument)
{
    int me = (int)(long)argument;
    slots[me] = me + 1;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        atomic_fetch_add(&serial, 1);
    assert(slots[1 - me] == 2 - me);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, phase, (void *)0L);
    pthread_create(&b, NULL, phase, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(atomic_load(&serial) == 1);
    pthread_barrier_destroy(&barrier);
    return 0;
}
