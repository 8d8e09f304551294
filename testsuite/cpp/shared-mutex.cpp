// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=race object=value
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static std::shared_timed_mutex timed;
static int value, copies[2];

static void write()
{
#ifdef WRONG
    std::shared_lock lock(mutex);
#else
    std::unique_lock lock(mutex);
#endif
    value++;
}

static void read(int place)
{
    std::shared_lock lock(mutex);
    copies[place] = value;
    std::shared_lock other(timed, std::try_to_lock);
}

int main()
{
    std::thread writer(write), first(read, 0), second(read, 1);
    writer.join();
    first.join();
    second.join();
    return value != 1 || copies[0] > 1 || copies[1] > 1;
}
