// A lock of one flag: spinning, and sleeping.
// leno: cflags="-std=c++20" verdict=safe
// leno: cflags="-std=c++20 -DSLEEP" verdict=safe
// leno: cflags="-std=c++20 -DRELAXED" verdict=bug kind=race object=counter
#include <atomic>
#include <thread>

static std::atomic_flag taken;
static int counter;

#ifdef RELAXED
#define ACQUIRE std::memory_order_relaxed
#else
#define ACQUIRE std::memory_order_acquire
#endif

static void add()
{
    while (taken.test_and_set(ACQUIRE)) {
#ifdef SLEEP
        taken.wait(true, std::memory_order_relaxed);
#endif
    }
    counter++;
    taken.clear(std::memory_order_release);
#ifdef SLEEP
    taken.notify_one();
#endif
}

int main()
{
    std::thread thread(add);
    add();
    thread.join();
    return counter != 2;
}
