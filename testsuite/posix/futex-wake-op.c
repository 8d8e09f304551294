// FUTEX_WAKE_OP changes one word, and wakes at both if that was as it should be.
// leno: cflags=-DAGAINST=5 verdict=safe
// leno: cflags=-DAGAINST=6 verdict=bug kind=deadlock object=second
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int first, second = 5;

static void *wait(void *unused)
{
    syscall(SYS_futex, &second, FUTEX_WAIT, 5, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    syscall(SYS_futex, &first, FUTEX_WAKE_OP, 1, 1, &second,
            FUTEX_OP(FUTEX_OP_ADD, 2, FUTEX_OP_CMP_EQ, AGAINST));
    pthread_join(thread, NULL);
    assert(atomic_load(&second) == 7);
    return 0;
}
