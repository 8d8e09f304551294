// A loop that waits, and has what it sees written to a variable of its own by another
// function: it comes back to where it was.
// leno: verdict=safe
// leno: cflags=-O2 verdict=safe
// leno: cflags=-DNOBODY verdict=bug kind=termination
#include <atomic>
#include <thread>

static std::atomic<int> value;

static bool take(int &seen)
{
    if (seen == 0) {
        seen = value.load();
        return false;
    }
    return value.compare_exchange_strong(seen, 2);
}

int main()
{
    std::thread thread([] {
        int seen = 0;
        while (!take(seen))
            ;
    });
#ifndef NOBODY
    value = 1;
#endif
    thread.join();
    return value != 2;
}
