// A wake-up reaches those who wait for one of its bits.
// leno: cflags=-DBITS=6 verdict=safe
// leno: cflags=-DBITS=4 verdict=bug kind=deadlock object=word
#define _GNU_SOURCE
#include <errno.h>
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *wait(void *unused)
{
    while (atomic_load(&word) == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 2);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0) == -1);
    assert(errno == EINVAL);
    pthread_create(&thread, NULL, wait, NULL);
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, BITS);
    pthread_join(thread, NULL);
    return 0;
}
