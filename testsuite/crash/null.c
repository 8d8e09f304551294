// A pointer that is not there yet in one of the two orders.
// leno: verdict=bug kind=crash
// leno[--property race]: verdict=safe
#include <pthread.h>
#include <stdatomic.h>

static int value = 7;
static int *_Atomic pointer;

static void *publish(void *unused)
{
    atomic_store(&pointer, &value);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    int seen = *atomic_load(&pointer);
    pthread_join(thread, NULL);
    return seen - 7;
}
