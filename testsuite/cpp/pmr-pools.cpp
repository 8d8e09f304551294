// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DPOOL" verdict=safe
// leno: cflags="-std=c++17 -stdlib=libc++ -DPOOL" verdict=safe
// leno: cflags="-std=c++17 -DPOOL -DWRONG" verdict=bug kind=race
// leno: cflags="-std=c++17 -stdlib=libc++ -DPOOL -DWRONG" verdict=bug kind=race
#include <memory>
#include <memory_resource>
#include <thread>
#include <vector>

// Two threads take memory from one resource: from the heap itself, from a pool with a lock, or
// from one without. The pool lies on the heap, so that its size has to be known exactly.

using namespace std::pmr;

static void fill(memory_resource *from)
{
    vector<int> values(from);
    values.push_back(1);
}

int main()
{
#ifndef POOL
    memory_resource *memory = new_delete_resource();
#elif defined WRONG
    std::unique_ptr<memory_resource> pool(new unsynchronized_pool_resource);
    memory_resource *memory = pool.get();
#else
    std::unique_ptr<memory_resource> pool(new synchronized_pool_resource);
    memory_resource *memory = pool.get();
#endif
    std::thread thread(fill, memory);
    fill(memory);
    thread.join();
}
