// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=deadlock
#include <chrono>
#include <mutex>
#include <thread>

#ifdef WRONG
static std::mutex mutex;
#else
static std::recursive_mutex mutex;
#endif
static std::timed_mutex timed;
static int depth, missed;

static void descend(int levels)
{
    std::lock_guard guard(mutex);
    depth++;
    if (levels > 0)
        descend(levels - 1);
}

static void try_it()
{
    if (timed.try_lock_for(std::chrono::seconds(1))) {
        timed.unlock();
    } else {
        std::lock_guard guard(mutex);
        missed++;
    }
}

int main()
{
    std::thread one(descend, 1), other(try_it);
    {
        std::unique_lock lock(timed, std::defer_lock);
        if (lock.try_lock())
            lock.unlock();
    }
    one.join();
    other.join();
    return depth != 2;
}
