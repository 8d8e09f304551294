// A coroutine goes on in another thread than it began in.
// leno: cflags="-std=c++20" verdict=safe
// leno: cflags="-std=c++20 -O2" verdict=safe
// leno: cflags="-std=c++20 -DWRONG" verdict=bug kind=race
#include <coroutine>
#include <exception>
#include <thread>

struct Task {
    struct promise_type {
        int value = 0;
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int next) { value = next; return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};

static Task count(int from)
{
    for (int i = from; i < from + 3; i++)
        co_yield i;
}

int main()
{
    Task task = count(5);
    task.handle.resume();
    int first = task.handle.promise().value;
    std::thread thread([&] { task.handle.resume(); });
#ifdef WRONG
    task.handle.resume();
    thread.join();
#else
    thread.join();
    task.handle.resume();
#endif
    int last = task.handle.promise().value;
    task.handle.destroy();
    return first != 5 || last != 7;
}
