// With one thread that acquires, libstdc++'s semaphore is right. With two that compete for
// it, version 12 may sleep for ever: it looks at the counter, fails to take it, and goes to
// sleep if the counter is still (or again) what it saw, though that was not 0.
// leno: cflags="-std=c++20" verdict=safe
// leno: cflags="-std=c++20 -O2" verdict=safe
// leno: cflags="-std=c++20 -DCOMPETE" verdict=bug kind=deadlock
// leno: cflags="-std=c++20 -DCOMPETE -DSLOTS=2" verdict=bug kind=race object=inside
// Not with libc++: it does not have the bug.
#include <semaphore>
#include <thread>

#ifndef SLOTS
#define SLOTS 1
#endif

static std::counting_semaphore<4> slots(SLOTS);
static std::binary_semaphore go(0);
static int inside, data;

static void work()
{
#ifdef COMPETE
    slots.acquire();
    inside++;
    inside--;
    slots.release();
#endif
}

int main()
{
    std::thread one([] { go.acquire(); data++; work(); });
    data = 1;
    go.release();
    work();
    one.join();
    return inside || data != 2;
}
