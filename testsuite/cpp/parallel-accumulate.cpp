// leno: cflags="-std=c++17" verdict=safe executions=1
// leno: cflags="-std=c++17 -O2" verdict=safe executions=1
// leno[--search optimal]: cflags="-std=c++17" verdict=safe executions=1
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=race
#include <algorithm>
#include <numeric>
#include <thread>
#include <vector>

template <class Iterator, class T> T sum(Iterator first, Iterator last, T start)
{
    const int parts = 2;
    auto length = std::distance(first, last) / parts;
    std::vector<T> results(parts);
    std::vector<std::thread> threads;
    for (int part = 0; part < parts; part++) {
        Iterator end = part + 1 == parts ? last : std::next(first, length);
#ifdef WRONG
        threads.emplace_back([&] { results[0] = std::accumulate(first, end, results[0]); });
#else
        threads.emplace_back([=, &results] { results[part] = std::accumulate(first, end, T()); });
#endif
        first = end;
    }
    for (auto &thread : threads)
        thread.join();
    return std::accumulate(results.begin(), results.end(), start);
}

int main()
{
    std::vector<long> values(6);
    std::iota(values.begin(), values.end(), 1);
    return sum(values.begin(), values.end(), 0L) != 21;
}
