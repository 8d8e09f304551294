// A destructor stores the vtable's address, which is there already: an object may join its
// thread there although that thread calls a virtual function of it. Not so the destructor
// of a base class, which changes what the thread calls.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno[--isolate]: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DBASE" verdict=bug kind=race
// leno: cflags="-std=c++17 -O2 -DBASE" verdict=bug kind=race
// leno: cflags="-std=c++17 -DTWICE" verdict=bug kind=race
#include <atomic>
#include <memory>
#include <thread>

struct Task {
    virtual ~Task()
    {
#ifdef BASE
        thread.join();
#endif
    }
    virtual int step() { return 0; }
    std::thread thread;
    std::atomic<int> sum{0};
};

struct Worker : Task {
    Worker() { thread = std::thread([this] { sum += step(); }); }
    ~Worker() override
    {
#ifndef BASE
        thread.join();
#endif
    }
    int step() override { return 1; }
};

int main()
{
    auto worker = std::make_unique<Worker>();
#ifdef TWICE
    // Read where it is destroyed is not enough: here it is freed.
    std::thread other([task = worker.get()] { task->step(); });
    worker.reset();
    other.join();
#endif
    worker.reset();
}
