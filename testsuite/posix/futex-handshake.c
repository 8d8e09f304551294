// The value is changed first and the waiter woken then; the other way round it sleeps on.
// leno: cflags=-DSTORE_FIRST=1 verdict=safe
// leno: cflags=-DSTORE_FIRST=0 verdict=bug kind=deadlock object=ready
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int ready;

static void *wait(void *unused)
{
    while (atomic_load(&ready) == 0)
        syscall(SYS_futex, &ready, FUTEX_WAIT, 0, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    if (STORE_FIRST)
        atomic_store(&ready, 1);
    syscall(SYS_futex, &ready, FUTEX_WAKE, 1);
    if (!STORE_FIRST)
        atomic_store(&ready, 1);
    pthread_join(thread, NULL);
    return 0;
}
