// A lock made of compare-exchange; the waiting loops are awaits and come to an end.
// leno: verdict=safe coverage=exhaustive
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int counter;

static void *work(void *unused)
{
    for (;;) {
        int expected = 0;
        if (atomic_compare_exchange_strong(&lock, &expected, 1))
            break;
    }
    counter++;
    atomic_store(&lock, 0);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 3);
    return 0;
}
