// Random numbers and clocks are the thread's own: every execution finds the same.
// leno: cflags="-std=c++17" verdict=safe
#include <chrono>
#include <random>
#include <thread>

static int draw()
{
    std::random_device device;
    std::mt19937 engine(device());
    auto now = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    bool later = std::chrono::steady_clock::now() >= now;
    return later ? std::uniform_int_distribution<>(1, 6)(engine) : 0;
}

int main()
{
    int other = 0;
    std::thread thread([&] { other = draw(); });
    int mine = draw();
    thread.join();
    return mine < 1 || other < 1;
}
