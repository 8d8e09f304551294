// A lock that is taken by exchange: the attempts that fail write what was there.
// leno: verdict=safe coverage=exhaustive
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int counter;

static void *count(void *unused)
{
    while (atomic_flag_test_and_set(&lock))
        ;
    counter++;
    atomic_flag_clear(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 3);
    return 0;
}
