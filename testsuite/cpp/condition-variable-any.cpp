// With a shared mutex, a timeout, and notify_all.
// leno: cflags="-std=c++17" verdict=safe
#include <chrono>
#include <condition_variable>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static std::condition_variable_any condition;
static int stage;

int main()
{
    std::thread waiter([] {
        std::shared_lock<std::shared_mutex> lock(mutex);
        condition.wait(lock, [] { return stage > 0; });
    });
    std::thread hasty([] {
        std::unique_lock<std::shared_mutex> lock(mutex);
        condition.wait_for(lock, std::chrono::seconds(1), [] { return stage > 0; });
    });
    {
        std::unique_lock<std::shared_mutex> lock(mutex);
        stage = 1;
    }
    condition.notify_all();
    waiter.join();
    hasty.join();
    return 0;
}
