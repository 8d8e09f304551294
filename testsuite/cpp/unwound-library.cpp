// A thread unwinds code of the library's that is not instrumented, and whose destructors and
// handlers call the program's before it comes back to instrumented code.
// leno: cflags="-std=c++17 -DHOW=STREAM" verdict=safe
// leno: cflags="-std=c++17 -O2 -DHOW=STREAM" verdict=safe
// leno: cflags="-std=c++17 -DHOW=ARRAY" verdict=safe
// leno: cflags="-std=c++17 -O2 -DHOW=ARRAY" verdict=safe
// leno: cflags="-std=c++17 -DHOW=END" verdict=safe
// leno: cflags="-std=c++17 -O2 -DHOW=END" verdict=safe
// leno: cflags="-std=c++17 -DHOW=CANCELLED" verdict=safe
// leno: cflags="-std=c++17 -O2 -DHOW=CANCELLED" verdict=safe
// leno: cflags="-std=c++17 -DHOW=STREAM -DWRONG" verdict=bug kind=race object=cleared
// leno: cflags="-std=c++17 -DHOW=ARRAY -DWRONG" verdict=bug kind=race object=cleared
// leno: cflags="-std=c++17 -DHOW=END -DWRONG" verdict=bug kind=race object=cleared
// leno: cflags="-std=c++17 -DHOW=CANCELLED -DWRONG" verdict=bug kind=race object=cleared
// Not with libc++: it does not flush a stream that has failed.
#include <cassert>
#include <cxxabi.h>
#include <ostream>
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>
#include <streambuf>
#include <thread>

enum { STREAM, ARRAY, END, CANCELLED };

static int cleared, destroyed;
static sem_t never;

static void clear()
{
    for (int i = 0; i < 3; i++)
        cleared++;
}

struct Counted {
    ~Counted() { destroyed++; }
};

static void leave(int depth)
{
    Counted here;
    if (depth > 0) {
        leave(depth - 1);
        cleared = -100;
    }
    if (HOW == END)
        pthread_exit(nullptr);
    if (HOW == CANCELLED)
        sem_wait(&never);
    throw std::runtime_error("out");
}

// What is left without having anything to destroy.
__attribute__((noinline)) static void pass_on()
{
    leave(2);
    cleared = -100;
}

// The end of an output to a stream without a buffer calls it, also behind a handler.
struct Full : std::streambuf {
    int overflow(int) override
    {
        pass_on();
        return 0;
    }
    int sync() override
    {
        clear();
        return 0;
    }
};

static void build(void *place)
{
    static int built;
    *static_cast<int *>(place) = built++;
    if (built == 2)
        pass_on();
}

static void unbuild(void *place)
{
    *static_cast<int *>(place) = -1;
    clear();
}

// What a std::thread runs belongs to a frame of the library's.
struct Ending {
    bool moved = false;
    Ending() = default;
    Ending(Ending &&other) { other.moved = true; }
    ~Ending()
    {
        if (!moved)
            clear();
    }
    void operator()() const { pass_on(); }
};

static void work()
{
    if (HOW == STREAM) {
        Full full;
        std::ostream stream(&full);
        stream << std::unitbuf;
        stream.put('x');
    } else {
        static int elements[5];
        try {
            abi::__cxa_vec_ctor(elements, 5, sizeof *elements, build, unbuild);
        } catch (const std::runtime_error &) {
            assert(elements[0] == -1);
        }
    }
}

int main()
{
    sem_init(&never, 0, 0);
    std::thread thread;
    if (HOW == END || HOW == CANCELLED)
        thread = std::thread(Ending());
    else
        thread = std::thread(work);
    if (HOW == CANCELLED)
        pthread_cancel(thread.native_handle());
#ifdef WRONG
    cleared++;
#endif
    thread.join();
#ifndef WRONG
    assert(cleared == 3);
    assert(destroyed == 3);
#endif
}
