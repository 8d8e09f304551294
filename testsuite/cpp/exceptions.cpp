// Thrown and caught with switches of threads in between, through frames that unlock.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex mutex;
static int caught, depth;

static void fail(int levels)
{
    std::lock_guard<std::mutex> guard(mutex);
    depth++;
    if (levels == 0)
        throw std::invalid_argument("at level " + std::to_string(levels));
}

static void attempt()
{
    try {
        fail(0);
    } catch (const std::logic_error &error) {
        std::lock_guard<std::mutex> guard(mutex);
        caught += error.what() == std::string("at level 0");
    }
}

int main()
{
    std::thread one(attempt), two(attempt);
    one.join();
    two.join();
    return caught != 2 || depth != 2;
}
