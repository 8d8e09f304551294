// A pipe between two threads: the reader waits, and what was written before it was sent
// is there. If nobody writes, the reader hangs; leno does not.
// leno: verdict=safe
// leno: cflags=-DSILENT verdict=bug kind=termination
// leno: cflags=-DEVENT verdict=safe
// leno: cflags=-DCLOSED verdict=safe
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int ends[2];
static int value;

static void *sender(void *unused)
{
    value = 42;
    uint64_t one = 1;
#if defined CLOSED
    close(ends[1]);
#elif !defined SILENT
    assert(write(ends[1], &one, sizeof one) == sizeof one);
#endif
    return unused;
}

int main(void)
{
#ifdef EVENT
    ends[0] = ends[1] = eventfd(0, 0);
    assert(ends[0] >= 0);
#else
    assert(pipe(ends) == 0);
#endif
    pthread_t thread;
    pthread_create(&thread, NULL, sender, NULL);
    uint64_t got = 0;
    ssize_t length = read(ends[0], &got, sizeof got);
#ifdef CLOSED
    assert(length == 0);
#else
    assert(length == sizeof got && got == 1);
#endif
    assert(value == 42);
    pthread_join(thread, NULL);
    return 0;
}
