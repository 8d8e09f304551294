// A lock that is given up, and a condition variable that is notified, when the thread has
// ended: behind the destructors of its own variables.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DIMPATIENT" verdict=bug kind=race object=destroyed
// leno: cflags="-std=c++17 -DNOBODY" verdict=bug kind=deadlock
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static bool done;
static int destroyed;

struct Own {
    int times = 1;
    ~Own() { destroyed += times; }
};

static thread_local Own own;

static void work()
{
    own.times = 2;
    std::unique_lock<std::mutex> lock(mutex);
    done = true;
#ifdef NOBODY
    lock.release();
#else
    std::notify_all_at_thread_exit(changed, std::move(lock));
#endif
}

int main()
{
    std::thread thread(work);
#ifndef IMPATIENT
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [] { return done; });
    lock.unlock();
#endif
    bool twice = destroyed == 2;
    thread.join();
#ifndef IMPATIENT
    assert(twice);
#endif
}
