// leno: cflags="-std=c++17" verdict=bug kind=crash message="uncaught exception of type std::runtime_error: too late"
// leno: cflags="-std=c++17 -O2" verdict=bug kind=crash message="uncaught exception of type std::runtime_error: too late"
// leno: cflags="-std=c++17 -DJOINABLE" verdict=bug kind=crash message="std::terminate was called, and no exception is in flight"
// leno: cflags="-std=c++17 -DPLAIN" verdict=bug kind=crash message="uncaught exception of type int"
// leno: cflags="-std=c++17 -DDERIVED" verdict=bug kind=crash message="uncaught exception of type Mine<int>: mine"
#include <stdexcept>
#include <thread>

template <class T> struct Base {
    virtual ~Base() = default;
    T padding{};
};

template <class T> struct Mine : Base<T>, std::logic_error {
    Mine() : std::logic_error("mine") {}
};

int main()
{
    std::thread thread([] {
#if defined PLAIN
        throw 3;
#elif defined DERIVED
        throw Mine<int>();
#elif !defined JOINABLE
        throw std::runtime_error("too late");
#endif
    });
#ifndef JOINABLE
    thread.join();
#endif
}
