// abort is reached in one of the two orders.
// leno: verdict=bug kind=crash
// leno[--keep-going]: verdict=bug kind=crash bugs=1 executions=2
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int done;

static void *finish(void *unused)
{
    atomic_store(&done, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, finish, NULL);
    if (!atomic_load(&done))
        abort();
    pthread_join(thread, NULL);
    return 0;
}
