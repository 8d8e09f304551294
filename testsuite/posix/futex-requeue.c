// Waiters that are moved to another futex are woken there.
// leno: cflags=-DWAKE=1 verdict=safe
// leno: cflags=-DWAKE=0 verdict=bug kind=deadlock
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int first, second;

static void *wait(void *unused)
{
    syscall(SYS_futex, &first, FUTEX_WAIT, 0, NULL);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, wait, NULL);
    pthread_create(&b, NULL, wait, NULL);
    assert(syscall(SYS_futex, &first, FUTEX_CMP_REQUEUE, 1, INT_MAX, &second, 7) == -1);
    assert(errno == EAGAIN);
    atomic_store(&first, 1);
    long moved = syscall(SYS_futex, &first, FUTEX_CMP_REQUEUE, 1, INT_MAX, &second, 1);
    assert(moved >= 0 && moved <= 2);
    if (WAKE)
        syscall(SYS_futex, &second, FUTEX_WAKE, INT_MAX);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
