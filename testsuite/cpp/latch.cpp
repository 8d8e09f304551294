// leno: cflags="-std=c++20" verdict=safe
// leno: cflags="-std=c++20 -O2" verdict=safe
// leno: cflags="-std=c++20 -DWRONG" verdict=bug kind=race object~parts
#include <latch>
#include <thread>

static std::latch done(2);
static int parts[2];

static void work(int place)
{
#ifdef WRONG
    done.count_down();
    parts[place] = 1;
#else
    parts[place] = 1;
    done.count_down();
#endif
}

int main()
{
    std::thread one(work, 0), two(work, 1);
    done.wait();
    int sum = parts[0] + parts[1];
    one.join();
    two.join();
    return sum != 2;
}
