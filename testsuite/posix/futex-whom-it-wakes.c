// Which of two waiters a wake-up wakes is open: who relies on the first is wrong.
// leno: cflags=-DRELY=0 verdict=safe
// leno: cflags=-DRELY=1 verdict=bug kind=assert
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, asleep, woken;

static void *wait(void *argument)
{
    int me = (int)(long)argument;
    while (atomic_load(&asleep) != me)
        ;
    atomic_store(&asleep, me + 1);
    if (syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL) == 0)
        atomic_compare_exchange_strong(&woken, &(int){ 0 }, me + 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, wait, (void *)0L);
    pthread_create(&b, NULL, wait, (void *)1L);
    while (atomic_load(&asleep) != 2)
        ;
    if (syscall(SYS_futex, &word, FUTEX_WAKE, 1) == 1) {
        while (atomic_load(&woken) == 0)
            ;
        if (RELY)
            assert(atomic_load(&woken) == 1);
    }
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE, 2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
