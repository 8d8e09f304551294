// A loop inside a coroutine that counts its looks at a flag is no wait for it.
// leno: cflags="-std=c++20" verdict=safe
#include <atomic>
#include <coroutine>
#include <exception>
#include <thread>

struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

static std::atomic<bool> flag;

static Task look()
{
    for (int tries = 0; tries < 3; tries++)
        if (flag)
            co_return;
    co_await std::suspend_never{};
}

int main()
{
    std::thread thread([] { look(); });
    thread.join();
    flag = true;
}
