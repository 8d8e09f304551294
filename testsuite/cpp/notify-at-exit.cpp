// What a thread has put off until it ends happens at the end of the process, if that is where
// main ends; and a thread that is detached does it when main may have ended.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DNEVER" verdict=bug kind=lock message~waits
// leno: cflags="-std=c++17 -DDETACHED" verdict=bug kind=lock message~signals
// Not with libc++: it forgets what main has put off, and has nothing to destroy.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static bool done;

static void work()
{
    std::unique_lock<std::mutex> lock(mutex);
    done = true;
#ifdef NEVER
    lock.release();
#else
    std::notify_all_at_thread_exit(changed, std::move(lock));
#endif
}

static void wait()
{
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [] { return done; });
}

int main()
{
#ifdef DETACHED
    // It notifies when it has given up the lock.
    std::thread(work).detach();
    wait();
#else
    std::thread(wait).detach();
    work();
#endif
}
