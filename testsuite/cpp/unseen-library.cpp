// What the library does with the name of a locale is not modelled, and said.
// leno: cflags="-std=c++17" verdict=unknown unseen~"locale"
// leno: cflags="-std=c++17 -DOWN" verdict=safe
// Not with libc++: there the constructor is another function.
#include <locale>
#include <thread>

static char shared[] = "C";

int main()
{
    std::thread thread([] {
#ifdef OWN
        char own[] = "C";
        std::locale named(own);
#else
        std::locale named(shared);
#endif
    });
    thread.join();
    return shared[0] != 'C';
}
