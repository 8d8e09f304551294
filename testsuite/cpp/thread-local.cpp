// A variable of each thread with a constructor and a destructor, which runs before the join
// returns.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=race object=destroyed
#include <string>
#include <thread>

static int destroyed;

struct Own {
    std::string name = "a name that is too long for the short form";
    ~Own() { destroyed++; }
};

static thread_local Own own;

int main()
{
    std::thread thread([] { own.name += "!"; });
#ifdef WRONG
    int seen = destroyed;
#else
    thread.join();
    int seen = destroyed;
#endif
    own.name += "?";
    if (thread.joinable())
        thread.join();
    return seen > 1;
}
