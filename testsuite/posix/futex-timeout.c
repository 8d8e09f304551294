// A wait with a timeout may end by it, and is then no deadlock.
// leno: cflags=-DCAREFUL=1 verdict=safe
// leno: cflags=-DCAREFUL=0 verdict=bug kind=assert
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word;

static void *wake(void *unused)
{
    syscall(SYS_futex, &word, FUTEX_WAKE, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec limit = { .tv_sec = 1 }, wrong = { .tv_nsec = -1 };
    assert(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &wrong) == -1 && errno == EINVAL);
    assert(syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL) == -1 && errno == EAGAIN);
    pthread_create(&thread, NULL, wake, NULL);
    long result = syscall(SYS_futex, &word, FUTEX_WAIT, 0, &limit);
    if (CAREFUL)
        assert(result == 0 || errno == ETIMEDOUT);
    else
        assert(result == 0);
    pthread_join(thread, NULL);
    return 0;
}
