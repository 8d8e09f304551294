// Only one of the two orders throws, out of a function that promised not to.
// leno: cflags="-std=c++17" verdict=bug kind=crash message~std::out_of_range
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::vector<int> values;

static int first() noexcept
{
    std::lock_guard<std::mutex> guard(mutex);
    return values.at(0);
}

int main()
{
    std::thread thread([] {
        std::lock_guard<std::mutex> guard(mutex);
        values.push_back(1);
    });
    int value = first();
    thread.join();
    return value - 1;
}
