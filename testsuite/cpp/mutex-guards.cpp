// leno: cflags="-std=c++20" verdict=safe executions=6
// leno: cflags="-std=c++20 -O2" verdict=safe executions=6
// leno[--search optimal]: cflags="-std=c++20" verdict=safe executions=6
// leno: cflags="-std=c++20 -DRACE" verdict=bug kind=race object=total
// leno: cflags="-std=c++20 -DRACE -O2" verdict=bug kind=race object=total
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static int total;

static void add(int amount)
{
#ifndef RACE
    std::lock_guard<std::mutex> guard(mutex);
#endif
    total += amount;
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(add, i);
    for (auto &thread : threads)
        thread.join();
    return total != 3;
}
