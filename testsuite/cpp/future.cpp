// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
#include <future>
#include <thread>

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    int data = 0;
    std::thread thread([&] {
        data = 1;
        promise.set_value(4);
    });
    int sum = future.get() + data;
    thread.join();
    std::packaged_task<int(int)> task([](int x) { return x + 1; });
    std::shared_future<int> result = task.get_future().share();
    std::thread worker(std::move(task), 1);
    std::thread reader([result] { result.wait(); });
    sum += result.get();
    worker.join();
    reader.join();
    return sum != 7;
}
