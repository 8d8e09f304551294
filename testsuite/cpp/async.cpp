// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=race object=total
#include <future>

static int total;

static int half(int from, int to)
{
    int sum = 0;
    for (int i = from; i < to; i++)
        sum += i;
#ifdef WRONG
    total += sum;
#endif
    return sum;
}

int main()
{
    auto left = std::async(std::launch::async, half, 0, 3);
    auto right = std::async(std::launch::async, half, 3, 6);
    auto late = std::async(std::launch::deferred, half, 6, 7);
    return left.get() + right.get() + late.get() != 21;
}
