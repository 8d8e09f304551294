// (--record-all: waits write.)
// leno: cflags="-std=c++20" verdict=safe
// leno: cflags="-std=c++20 -DCALLBACK" verdict=safe
// leno: cflags="-std=c++20 -DDEAF" verdict=bug kind=termination
#include <atomic>
#include <stop_token>
#include <thread>

static std::atomic<int> called;
static std::atomic<bool> never;

int main()
{
    {
        std::jthread thread([](std::stop_token token) {
#ifdef CALLBACK
            std::stop_callback callback(token, [] { called++; });
#endif
#ifdef DEAF
            while (!never)
                ;
#else
            while (!token.stop_requested())
                std::this_thread::yield();
#endif
        });
    }
    return called > 1;
}
