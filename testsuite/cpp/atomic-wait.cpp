// leno: cflags="-std=c++20" verdict=safe
// leno: cflags="-std=c++20 -O2" verdict=safe
// leno: cflags="-std=c++20 -DNOBODY" verdict=bug kind=deadlock
// leno: cflags="-std=c++20 -DTYPE=long" verdict=safe
// leno: cflags="-std=c++20 -DTYPE=long -DNOBODY" verdict=bug kind=deadlock
// leno: cflags="-std=c++20 -DTYPE=bool" verdict=safe
#include <atomic>
#include <thread>

#ifndef TYPE
#define TYPE int
#endif

static std::atomic<TYPE> ready{0};
static int data;

int main()
{
    std::thread writer([] {
        data = 1;
        ready.store(1, std::memory_order_release);
#ifndef NOBODY
        ready.notify_one();
#endif
    });
    ready.wait(0, std::memory_order_acquire);
    int seen = data;
    writer.join();
    return seen != 1;
}
