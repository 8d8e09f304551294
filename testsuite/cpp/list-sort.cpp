// leno: cflags="-std=c++17" verdict=safe executions=2
// leno: cflags="-std=c++17 -O2" verdict=safe executions=2
// leno: cflags="-std=c++17 -stdlib=libc++" verdict=safe executions=2
// leno: cflags="-std=c++17 -DSORT" verdict=bug kind=race
// leno: cflags="-std=c++17 -DSWAP" verdict=bug kind=race
// leno: cflags="-std=c++17 -DREVERSE" verdict=bug kind=race
// leno: cflags="-std=c++17 -DREVERSE -O2" verdict=bug kind=race
#include <cassert>
#include <iterator>
#include <list>
#include <mutex>
#include <thread>

// Lists that are sorted, exchanged and turned round: their nodes stay and are linked anew, by
// functions of the library's. One thread that does so without the lock races with one that
// changes the list, and with one that only goes on from a node in the middle.

struct Link {
    int number;
    Link(int n) : number(n) {}
    bool operator<(const Link &other) const { return number < other.number; }
};

static std::list<Link> link{3, 1, 2}, other{5};
static std::mutex lock;

static void change()
{
    std::lock_guard<std::mutex> guard(lock);
    link.reverse();
#ifndef REVERSE
    link.sort();
    link.swap(other);
    link.swap(other);
#endif
}

int main()
{
    auto middle = std::next(link.begin());
    std::thread changer(change);
#if defined SORT
    link.sort();
#elif defined SWAP
    std::list<Link> mine;
    mine.swap(other);
    other.swap(mine);
#elif defined REVERSE
    ++middle;
#else
    {
        std::lock_guard<std::mutex> guard(lock);
        link.reverse();
        assert(link.size() == 3 && other.front().number == 5);
    }
#endif
    changer.join();
    assert(middle->number <= 3);
}
