// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DPLAIN" verdict=bug kind=race
#include <atomic>
#include <thread>

#ifdef PLAIN
static int first, second;
#else
static std::atomic<int> first, second;
#endif
static std::atomic<unsigned> version;

int main()
{
    std::thread writer([] {
        version.fetch_add(1);
        first = 1;
        second = 1;
        version.fetch_add(1);
    });
    int a, b;
    unsigned before;
    do {
        while ((before = version.load()) & 1)
            ;
        a = first;
        b = second;
    } while (version.load() != before);
    writer.join();
    return a != b;
}
