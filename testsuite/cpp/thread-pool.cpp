// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DLOST" verdict=bug kind=deadlock
// leno: cflags="-std=c++17 -DRACE" verdict=bug kind=race
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool {
    std::mutex mutex;
    std::condition_variable wake;
    std::queue<std::function<void()>> jobs;
    std::vector<std::thread> workers;
    bool stopping = false;

    void run()
    {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> lock(mutex);
                wake.wait(lock, [this] { return stopping || !jobs.empty(); });
                if (jobs.empty())
                    return;
                job = std::move(jobs.front());
                jobs.pop();
            }
            job();
        }
    }

public:
    explicit Pool(int size)
    {
        for (int i = 0; i < size; i++)
            workers.emplace_back([this] { run(); });
    }
    void submit(std::function<void()> job)
    {
        {
            std::lock_guard<std::mutex> guard(mutex);
            jobs.push(std::move(job));
        }
        wake.notify_one();
    }
    ~Pool()
    {
        {
#ifndef RACE
            std::lock_guard<std::mutex> guard(mutex);
#endif
            stopping = true;
        }
#ifdef LOST
        wake.notify_one();
#else
        wake.notify_all();
#endif
        for (auto &worker : workers)
            worker.join();
    }
};

int main()
{
    int done = 0;
    {
        Pool pool(2);
        pool.submit([&] { done = 1; });
    }
    return done != 1;
}
