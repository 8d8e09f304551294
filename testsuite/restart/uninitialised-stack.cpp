// The stack behind callbacks that are left by an exception: whoever looks at it before it is
// written finds the same each time, and so do destructors on the way.
// leno: cflags=-w verdict=safe executions=2
// leno: cflags="-w -O2" verdict=safe executions=2
#include <atomic>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <thread>

static std::atomic<int> seen[64];
static std::mutex lock;
static int shared;

__attribute__((noinline)) static void look()
{
    unsigned char bytes[100];
    const volatile unsigned char *byte = bytes;
    unsigned long sum = 0;
    for (unsigned i = 0; i < sizeof bytes; i++)
        sum = (sum ^ byte[i]) * 0x100000001b3ul;
    seen[sum * 0x9e3779b97f4a7c15ul >> 58].load();
}

struct Looks {
    ~Looks() { look(); }
};

struct Wrong : std::runtime_error {
    using runtime_error::runtime_error;
    Wrong(const Wrong &) = default;
    ~Wrong() override { look(); }
};

static void throws()
{
    Looks looks;
    throw Wrong("out of a callback");
}

static void callbacks()
{
    for (int i = 0; i < 20; i++) {
        std::once_flag once;
        try {
            Looks looks;
            std::call_once(once, throws);
        } catch (const std::exception &) {
            look();
        }
    }
}

static void work()
{
    static thread_local Looks looks;
    (void)&looks;
    callbacks();
    look();
    std::lock_guard<std::mutex> guard(lock);
    shared++;
    look();
}

static void *cancelled(void *)
{
    Looks looks;
    pthread_exit(nullptr);
}

int main()
{
    std::thread a(work);
    look();
    work();
    a.join();
    pthread_t b;
    pthread_create(&b, nullptr, cancelled, nullptr);
    pthread_join(b, nullptr);
    look();
}
