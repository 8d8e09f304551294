// Loops that wait for a while and look again: std::condition_variable::wait_for and
// std::future::wait_for compute a new deadline in each round.
// --record-all: waits write, the deadlines.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DFUTURE" verdict=safe
// leno: cflags="-std=c++17 -DFUTURE -O2" verdict=safe
// leno: cflags="-std=c++17 -DNOBODY" verdict=bug kind=termination
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

#ifdef FUTURE
int main() {
    auto result = std::async(std::launch::async, [] { return 1; });
    while (result.wait_for(1s) != std::future_status::ready) {
    }
    return result.get() - 1;
}
#else
static std::mutex mutex;
static std::condition_variable changed;
static bool ready;

int main() {
    std::thread other([] {
        std::lock_guard guard(mutex);
#ifndef NOBODY
        ready = true;
#endif
        changed.notify_one();
    });
    {
        std::unique_lock lock(mutex);
        while (!ready)
            changed.wait_for(lock, 10ms);
    }
    other.join();
}
#endif
