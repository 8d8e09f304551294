// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=race object~arena
#include <memory_resource>
#include <mutex>
#include <thread>
#include <vector>

static char buffer[4096];
static std::pmr::monotonic_buffer_resource arena(buffer, sizeof buffer);
static std::mutex mutex;

static int fill(int from)
{
#ifndef WRONG
    std::lock_guard<std::mutex> guard(mutex);
#endif
    std::pmr::vector<int> values({from, from + 1}, &arena);
    return values.back();
}

int main()
{
    int first = 0;
    std::thread thread([&] { first = fill(1); });
    int second = fill(10);
    thread.join();
    return first + second != 13;
}
