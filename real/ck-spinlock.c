/* Concurrency Kit: a lock of each kind (-DKIND=cas, dec, fas, ticket) keeps two threads apart. */
#include <ck_spinlock.h>

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define JOIN(a, b, c) a##b##c
#define NAME(kind, what) JOIN(ck_spinlock_, kind, what)

static NAME(KIND, _t) lock;
static int count;

static void *work(void *unused)
{
    NAME(KIND, _lock)(&lock);
    count++;
    NAME(KIND, _unlock)(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    NAME(KIND, _init)(&lock);
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    assert(count == 2);
    return 0;
}
