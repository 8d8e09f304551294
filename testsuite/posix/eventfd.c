// A read of an eventfd waits until it counts something; what was done before the write is
// seen behind the read. As a semaphore it gives one at a time.
// leno: verdict=safe
// leno: cflags=-DSEMAPHORE verdict=safe
// leno: cflags=-DNOBODY verdict=bug kind=termination
// leno: cflags="-DSEMAPHORE -DTOO_FEW" verdict=bug kind=termination
// leno[--keep-going]: cflags=-DEARLY verdict=bug kind=race
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event, data;

static void *send(void *unused)
{
#ifdef EARLY
    eventfd_write(event, 2);
    data = 42;
#else
    data = 42;
#ifdef TOO_FEW
    eventfd_write(event, 1);
#elif !defined NOBODY
    eventfd_write(event, 2);
#endif
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef SEMAPHORE
    event = eventfd(0, EFD_SEMAPHORE);
#else
    event = eventfd(0, 0);
#endif
    pthread_create(&thread, NULL, send, NULL);
    uint64_t value;
    assert(read(event, &value, sizeof value) == sizeof value);
    assert(data == 42);
#ifdef SEMAPHORE
    assert(value == 1);
    eventfd_t again;
    assert(eventfd_read(event, &again) == 0 && again == 1);
#else
    assert(value == 2);
#endif
    pthread_join(thread, NULL);
    close(event);
    return 0;
}
