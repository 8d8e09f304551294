// A division by a number that another thread sets to 0.
// leno: verdict=bug kind=crash
#include <pthread.h>
#include <stdatomic.h>

static atomic_int divisor = 1;

static void *clear(void *unused)
{
    atomic_store(&divisor, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, clear, NULL);
    volatile int result = 100 / atomic_load(&divisor);
    pthread_join(thread, NULL);
    return result - 100;
}
