// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DTHROWS" verdict=safe
// leno: cflags="-std=c++17 -DTHROWS -O2" verdict=safe
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=race
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag flag;
static int table, attempts;
static bool started;

static void fill()
{
#ifdef THROWS
    if (attempts++ == 0)
        throw std::runtime_error("the first one fails");
#endif
    table = 42;
}

static int look()
{
#ifdef WRONG
    if (!started) {
        started = true;
        fill();
    }
#else
    try {
        std::call_once(flag, fill);
    } catch (const std::runtime_error &) {
        std::call_once(flag, fill);
    }
#endif
    return table;
}

int main()
{
    std::thread other([] { look(); });
    int seen = look();
    other.join();
    return seen != 42;
}
