// A mutex made of a futex: 0 free, 1 held, 2 held and waited for.
// leno: cflags="-DN=2 -DWAKE=1" verdict=safe
// leno: cflags="-DN=3 -DWAKE=1" verdict=safe
// leno: cflags="-DN=2 -DWAKE=0" verdict=bug kind=deadlock object=word
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int counter;

static void lock(void)
{
    int seen = 0;
    if (atomic_compare_exchange_strong(&word, &seen, 1))
        return;
    while (atomic_exchange(&word, 2) != 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void)
{
    if (atomic_exchange(&word, 0) == 2 && WAKE)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *count(void *unused)
{
    lock();
    counter++;
    unlock();
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(counter == N);
    return 0;
}
