// A loop of updates that leave the value as it was waits, like one of loads.
// leno: cflags=-DLOOK=atomic_fetch_add(&flag,0) verdict=safe
// leno: cflags=-DLOOK=atomic_fetch_or(&flag,0) verdict=safe
// leno: cflags="-O2 -DLOOK=atomic_fetch_sub(&flag,0)" verdict=safe
// leno: cflags=-DLOOK=__sync_val_compare_and_swap((int*)&flag,0,0) verdict=safe
// leno: cflags=-DLOOK=__sync_bool_compare_and_swap((int*)&flag,1,1) verdict=safe
// leno: cflags=-DLOOK=(atomic_exchange(&flag,2)==1) verdict=safe
// leno[--search source]: cflags=-DLOOK=atomic_fetch_add(&flag,0) verdict=safe
// leno: cflags="-DLOOK=atomic_fetch_add(&flag,0) -DNOBODY" verdict=bug kind=termination object=flag
// leno: cflags="-DLOOK=__sync_val_compare_and_swap((int*)&flag,0,0) -DNOBODY" verdict=bug kind=termination object=flag
// leno: cflags="-DLOOK=atomic_fetch_add(&flag,0) -DORDER=memory_order_relaxed" verdict=bug kind=race object=data
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_release
#endif

static atomic_int flag;
static int data;

static void *wait(void *unused)
{
    while (!LOOK)
        ;
    return data ? unused : NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    data = 1;
#ifndef NOBODY
    atomic_store_explicit(&flag, 1, ORDER);
#endif
    pthread_join(thread, NULL);
    return 0;
}
