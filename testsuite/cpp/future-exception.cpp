// An exception goes from one thread to another, and the last one destroys it.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
#include <cstring>
#include <future>
#include <stdexcept>
#include <thread>

static int length(std::shared_future<int> future)
{
    try {
        return future.get();
    } catch (const std::exception &error) {
        return static_cast<int>(std::strlen(error.what()));
    }
}

int main()
{
    std::promise<int> promise;
    std::shared_future<int> future = promise.get_future().share();
    int first = 0;
    std::thread one([&first, future] { first = length(future); });
    promise.set_exception(std::make_exception_ptr(std::runtime_error("it did not work")));
    int second = length(std::move(future));
    one.join();
    return first != 15 || second != 15;
}
