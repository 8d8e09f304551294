// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DPLAIN" verdict=bug kind=race
// leno: cflags="-std=c++17 -DRELAXED" verdict=bug kind=race
#include <atomic>
#include <mutex>
#include <thread>

struct Table {
    int value = 3;
};

static std::mutex mutex;
#if defined PLAIN
static Table *instance;
static Table *load() { return instance; }
static void store(Table *table) { instance = table; }
#else
static std::atomic<Table *> instance;
#ifdef RELAXED
static Table *load() { return instance.load(std::memory_order_relaxed); }
#else
static Table *load() { return instance.load(std::memory_order_acquire); }
#endif
static void store(Table *table) { instance.store(table, std::memory_order_release); }
#endif

static Table &get()
{
    Table *table = load();
    if (!table) {
        std::lock_guard<std::mutex> guard(mutex);
        table = load();
        if (!table) {
            table = new Table;
            store(table);
        }
    }
    return *table;
}

int main()
{
    int seen = 0;
    std::thread thread([&] { seen = get().value; });
    int mine = get().value;
    thread.join();
    return seen != 3 || mine != 3;
}
