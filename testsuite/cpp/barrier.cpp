// leno: cflags="-std=c++20" verdict=safe
// leno: cflags="-std=c++20 -DWRONG" verdict=bug kind=race
#include <barrier>
#include <thread>

static int rounds, cells[2];
static std::barrier barrier(2, []() noexcept { rounds++; });

static int work(int place)
{
    cells[place] = place + 1;
#ifndef WRONG
    barrier.arrive_and_wait();
#endif
    return cells[1 - place];
}

int main()
{
    int first = 0, second = 0;
    std::thread thread([&] { first = work(0); });
    second = work(1);
    thread.join();
    return first + second != 3 || rounds != 1;
}
