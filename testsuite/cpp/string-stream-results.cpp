// A string stream that threads share, and what C++20 has to get its text.
// leno: cflags="-std=c++20" verdict=safe
// leno: cflags="-std=c++20 -O2" verdict=safe
// leno: cflags="-std=c++20 -DWRONG" verdict=bug kind=race
#include <cassert>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

static std::ostringstream words;
static std::mutex lock;

static void say(int number)
{
    std::lock_guard<std::mutex> guard(lock);
    words << number;
}

int main()
{
    std::thread one(say, 1), two(say, 2);
#ifdef WRONG
    assert(words.str().size() < 3);
#endif
    one.join();
    two.join();
    assert(words.view().size() == 2 && words.str().size() == 2);
    assert(std::move(words).str().size() == 2);
}
