// The kernel reads the word atomically; a plain write of the program races with a load.
// leno: cflags=-DATOMIC=1 verdict=safe
// leno: cflags=-DATOMIC=0 verdict=bug kind=race object=word
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

static void *set(void *unused)
{
    if (ATOMIC)
        __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    else
        word = 1;
    syscall(SYS_futex, &word, FUTEX_WAKE, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL);
    pthread_join(thread, NULL);
    return 0;
}
