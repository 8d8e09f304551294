// Atomic sections keep each other apart, not plain accesses.
// leno: verdict=bug kind=race object=value
#include <leno.h>
#include <pthread.h>

static int value;

static void *plain(void *unused)
{
    value = 2;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, plain, 0);
    leno_atomic_begin();
    value = 1;
    leno_atomic_end();
    pthread_join(thread, 0);
    return 0;
}
