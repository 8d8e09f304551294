// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DINSERT" verdict=bug kind=race
// leno: cflags="-std=c++17 -DITERATE" verdict=bug kind=race
#include <map>
#include <mutex>
#include <thread>

static std::map<int, int> names{{1, 1}, {5, 5}, {9, 9}};
static std::mutex mutex;

static void insert(int key)
{
#ifndef INSERT
    std::lock_guard<std::mutex> guard(mutex);
#endif
    names.emplace(key, key);
}

static int sum()
{
#ifndef ITERATE
    std::lock_guard<std::mutex> guard(mutex);
#endif
    int sum = 0;
    auto end = names.find(9);
    for (auto at = names.find(5); at != end; ++at)
        sum += at->second;
    return sum;
}

int main()
{
    std::thread thread(insert, 7);
#ifdef INSERT
    insert(3);
    int seen = 5;
#else
    int seen = sum();
#endif
    thread.join();
    return seen != 5 && seen != 12;
}
