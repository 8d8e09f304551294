// All forms of new and delete, and a class with its own.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DMISMATCH" verdict=bug kind=memory
// leno: cflags="-std=c++17 -DTWICE" verdict=bug kind=memory
#include <cstdlib>
#include <new>
#include <thread>

struct alignas(64) Wide {
    int value = 1;
};

struct Own {
    static inline thread_local int alive = 0;
    static void *operator new(std::size_t size) { alive++; return std::malloc(size); }
    static void operator delete(void *pointer) { alive--; std::free(pointer); }
};

static void work()
{
    delete new int(1);
    delete[] new int[4];
    delete new Wide;
    delete[] new Wide[2];
    delete new (std::nothrow) int;
    ::operator delete(::operator new(8));
    alignas(int) char place[sizeof(int)];
    (void)new (place) int(2);
    delete new Own;
#ifdef MISMATCH
    std::free(new int);
#endif
#ifdef TWICE
    int *twice = new int;
    delete twice;
    delete twice;
#endif
}

int main()
{
    std::thread thread(work);
    work();
    thread.join();
    return Own::alive;
}
