// Readers count themselves in and out of an epoch; the writer waits for those of the old one.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DIMPATIENT" verdict=bug
#include <atomic>
#include <memory>
#include <thread>

struct Config {
    int a, b;
};

static std::atomic<Config *> config{new Config{1, 1}};
static std::atomic<int> readers;

static int read()
{
    readers.fetch_add(1);
    Config *now = config.load();
    int difference = now->a - now->b;
    readers.fetch_sub(1);
    return difference;
}

static void update()
{
    std::unique_ptr<Config> old(config.exchange(new Config{2, 2}));
#ifndef IMPATIENT
    while (readers.load() != 0)
        ;
#endif
}

int main()
{
    std::thread writer(update);
    int difference = read();
    writer.join();
    return difference;
}
