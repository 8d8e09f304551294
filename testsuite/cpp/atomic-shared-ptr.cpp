// libstdc++ 12 gives up the lock inside std::atomic<std::shared_ptr> with a relaxed store when
// it has only read: what it read is not ordered before the next write. That is a data race by
// the standard's rules (later versions release there); nothing else is wrong with it.
// (--record-all: waits write.)
// leno: cflags="-std=c++20" verdict=bug kind=race object~current
// leno[--property deadlock,assert,crash,memory,lock,termination]: cflags="-std=c++20" verdict=safe
// leno: cflags="-std=c++20 -DWRONG" verdict=bug kind=race
// Not with libc++: it has no std::atomic<std::shared_ptr>.
#include <atomic>
#include <memory>
#include <thread>

#ifdef WRONG
static std::shared_ptr<int> current = std::make_shared<int>(1);
static std::shared_ptr<int> get() { return current; }
static void set(std::shared_ptr<int> next) { current = std::move(next); }
#else
static std::atomic<std::shared_ptr<int>> current = std::make_shared<int>(1);
static std::shared_ptr<int> get() { return current.load(); }
static void set(std::shared_ptr<int> next) { current.store(std::move(next)); }
#endif

int main()
{
    std::thread thread([] { set(std::make_shared<int>(2)); });
    int seen = *get();
    thread.join();
    return seen != 1 && seen != 2;
}
