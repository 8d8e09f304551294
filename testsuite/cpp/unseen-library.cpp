// What the library does to a list when it turns it round is not modelled, and said.
// leno: cflags="-std=c++17" verdict=unknown unseen~_M_reverse
// leno: cflags="-std=c++17 -DOWN" verdict=safe
// Not with libc++: all of its std::list is compiled with the program.
#include <list>
#include <thread>

static std::list<int> shared{1, 2, 3};

int main()
{
    std::thread thread([] {
#ifdef OWN
        std::list<int> own{1, 2};
        own.reverse();
#else
        shared.reverse();
#endif
    });
    thread.join();
    return shared.size() != 3;
}
