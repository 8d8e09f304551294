// Being woken orders nothing: what the waker wrote is seen through the word, if it releases.
// leno: cflags=-DORDER=memory_order_release verdict=safe
// leno: cflags=-DORDER=memory_order_relaxed verdict=bug kind=race object=data
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int ready;
static int data;

static void *produce(void *unused)
{
    data = 42;
    atomic_store_explicit(&ready, 1, ORDER);
    syscall(SYS_futex, &ready, FUTEX_WAKE, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    while (atomic_load_explicit(&ready, memory_order_acquire) == 0)
        syscall(SYS_futex, &ready, FUTEX_WAIT, 0, NULL);
    assert(data == 42);
    pthread_join(thread, NULL);
    return 0;
}
