// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DUNCAUGHT" verdict=bug kind=crash message~std::future_error
#include <future>
#include <thread>

int main()
{
    std::future<int> future;
    std::thread thread([&] {
        std::promise<int> promise;
        future = promise.get_future();
    });
    thread.join();
#ifdef UNCAUGHT
    return future.get();
#else
    try {
        return future.get();
    } catch (const std::future_error &error) {
        return error.code() != std::future_errc::broken_promise;
    }
#endif
}
