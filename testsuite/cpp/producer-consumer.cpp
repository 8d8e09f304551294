// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DIF" verdict=bug kind=assert
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

template <class T> class Channel {
    std::mutex mutex;
    std::condition_variable filled;
    std::deque<T> items;

public:
    void send(T item)
    {
        std::lock_guard<std::mutex> guard(mutex);
        items.push_back(std::move(item));
        filled.notify_one();
    }
    T receive()
    {
        std::unique_lock<std::mutex> lock(mutex);
#ifdef IF
        if (items.empty())
            filled.wait(lock);
        assert(!items.empty());
#else
        while (items.empty())
            filled.wait(lock);
#endif
        T item = std::move(items.front());
        items.pop_front();
        return item;
    }
};

int main()
{
    Channel<int> channel;
    int first = 0, second = 0;
    std::thread one([&] { first = channel.receive(); });
    std::thread two([&] { second = channel.receive(); });
    channel.send(1);
    channel.send(2);
    one.join();
    two.join();
    return first + second != 3;
}
