// One producer, one consumer, two indices.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DORDER=std::memory_order_relaxed" verdict=bug kind=race
#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

#ifndef ORDER
#define ORDER std::memory_order_release
#endif

template <class T, std::size_t Size> class Ring {
    std::array<T, Size> cells{};
    std::atomic<std::size_t> written{0}, read{0};

public:
    bool push(const T &value)
    {
        auto at = written.load(std::memory_order_relaxed);
        if (at - read.load(std::memory_order_acquire) == Size)
            return false;
        cells[at % Size] = value;
        written.store(at + 1, ORDER);
        return true;
    }
    bool pop(T &value)
    {
        auto at = read.load(std::memory_order_relaxed);
        if (at == written.load(std::memory_order_acquire))
            return false;
        value = cells[at % Size];
        read.store(at + 1, std::memory_order_release);
        return true;
    }
};

int main()
{
    static Ring<int, 1> ring;
    std::thread producer([] {
        for (int i = 1; i <= 2; i++)
            while (!ring.push(i))
                ;
    });
    int sum = 0, value;
    for (int i = 0; i < 2; i++) {
        while (!ring.pop(value))
            ;
        sum += value;
    }
    producer.join();
    return sum != 3;
}
