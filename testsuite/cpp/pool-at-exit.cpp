// A pool that is a global variable: its destructor ends and joins the thread after main.
// leno: verdict=safe
// leno: cflags=-stdlib=libc++ verdict=safe
// leno: cflags=-DDETACHED verdict=bug kind=race
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>

struct Pool {
    std::mutex lock;
    std::condition_variable changed;
    std::queue<std::function<void()>> jobs;
    bool stop = false;
    std::thread thread{[this] { serve(); }};

    void serve()
    {
        std::unique_lock guard(lock);
        for (;;) {
            changed.wait(guard, [this] { return stop || !jobs.empty(); });
            if (jobs.empty())
                return;
            jobs.front()();
            jobs.pop();
        }
    }
    void add(std::function<void()> job)
    {
        std::lock_guard guard(lock);
        jobs.push(std::move(job));
        changed.notify_one();
    }
    ~Pool()
    {
        {
            std::lock_guard guard(lock);
            stop = true;
        }
        changed.notify_all();
#ifdef DETACHED
        thread.detach();
#else
        thread.join();
#endif
    }
};

static Pool &pool()
{
    static Pool only;
    return only;
}

int main()
{
    pool().add([] {});
}
