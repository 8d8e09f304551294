// leno: cflags="-std=c++20" verdict=safe
// leno: cflags="-std=c++20 -O2" verdict=safe
// leno: cflags="-std=c++20 -stdlib=libc++ -DNESTED" verdict=safe
// leno: cflags="-std=c++20 -DNESTED -O2" verdict=safe
// leno: cflags="-std=c++20 -DCAUGHT_INSIDE -O2" verdict=bug kind=deadlock
// A routine that an exception has left counts as not called from then on, not from where
// the exception is caught: on the way, a destructor joins a thread that calls it again. One
// that catches its own exception has not been left.
#include <mutex>
#include <thread>

static std::once_flag outer, inner;
static int tries, value;

// std::jthread, which libc++ still calls experimental.
struct Joins {
    std::thread thread;
    ~Joins() { thread.join(); }
};

static void fill()
{
    if (tries++ == 0)
        throw tries;
    value = 1;
}

static void work()
{
    Joins other{std::thread([] {
        try {
            std::call_once(outer, fill);
        } catch (int) {
        }
    })};
#ifdef CAUGHT_INSIDE
    std::call_once(outer, [] {
        try {
            throw 1;
        } catch (int) {
            std::call_once(outer, fill);
        }
    });
#elif defined NESTED
    std::call_once(outer, [] {
        try {
            std::call_once(inner, [] { throw 1; });
        } catch (int) {
            std::call_once(inner, [] {});
        }
        fill();
    });
#else
    std::call_once(outer, fill);
#endif
}

int main()
{
    try {
        work();
    } catch (int) {
    }
    std::call_once(outer, fill);
    return value != 1;
}
