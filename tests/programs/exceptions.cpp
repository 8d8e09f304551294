// Exceptions through instrumented frames, and what else C++ has that C has not.
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Guard {
    const char *name;
    explicit Guard(const char *name) : name(name) {}
    ~Guard() { std::printf("leave %s\n", name); }
};

static std::map<std::string, int> table;
static std::mutex mutex;
static std::atomic<int> count;
thread_local std::string local = "start";

struct Base {
    virtual ~Base() = default;
    virtual int value() const { return 1; }
};
struct Derived : Base {
    int value() const override { return 2; }
};

[[gnu::noinline]] static int deep(int n) {
    Guard guard("deep");
    if (n == 0) throw std::runtime_error("bottom");
    return deep(n - 1) + 1;
}

static int caught(int n) {
    try {
        return deep(n);
    } catch (const std::exception &error) {
        std::printf("caught %s\n", error.what());
        try {
            throw;
        } catch (...) {
            std::printf("again\n");
        }
        return -n;
    }
}

struct Failing {
    std::unique_ptr<Base> base = std::make_unique<Derived>();
    explicit Failing(bool fail) {
        if (fail) throw 5;
    }
};

int main() {
    std::printf("%d\n", caught(2));
    try {
        Failing failing(true);
    } catch (int code) {
        std::printf("code %d\n", code);
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([i] {
            for (int j = 0; j < 100; j++) {
                std::lock_guard<std::mutex> lock(mutex);
                table["key" + std::to_string(j % 5)] += i;
                count++;
            }
            local += "!";
            try {
                if (i == 1) deep(0);
            } catch (const std::runtime_error &) {
                count += 1000;
            }
        });
    for (auto &thread : threads) thread.join();
    for (auto &[key, value] : table) std::printf("%s %d\n", key.c_str(), value);
    std::unique_ptr<Base> base(new Derived);
    std::printf("%d %s %d\n", count.load(), local.c_str(), base->value());
    auto lambda = [&](int x) noexcept { return x + base->value(); };
    std::printf("%d %d\n", lambda(3), dynamic_cast<Derived *>(base.get()) != nullptr);
    return 0;
}
