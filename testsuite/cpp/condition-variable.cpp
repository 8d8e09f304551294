// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=deadlock
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable condition;
static bool ready;
static int data;

static void consume()
{
    std::unique_lock<std::mutex> lock(mutex);
#ifdef WRONG
    condition.wait(lock);
#else
    condition.wait(lock, [] { return ready; });
#endif
    data++;
}

int main()
{
    std::thread consumer(consume);
    {
        std::lock_guard<std::mutex> guard(mutex);
        data = 1;
        ready = true;
    }
    condition.notify_one();
    consumer.join();
    return data != 2;
}
