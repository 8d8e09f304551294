// std::lock avoids the deadlock that two guards in opposite orders have.
// (It takes, gives back and takes again: two threads may be in each other's way for ever.)
// (--record-all: waits write.)
// leno[--max-steps 300 --max-executions 300]: cflags="-std=c++17" verdict=unknown bugs=0
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=deadlock
#include <mutex>
#include <thread>

static std::mutex a, b;
static int balance_a = 10, balance_b = 10;

static void move(std::mutex &from, std::mutex &to, int amount)
{
#ifdef WRONG
    std::lock_guard<std::mutex> first(from), second(to);
#else
    std::scoped_lock both(from, to);
#endif
    balance_a -= amount;
    balance_b += amount;
}

int main()
{
    std::thread left(move, std::ref(a), std::ref(b), 3), right(move, std::ref(b), std::ref(a), -2);
    left.join();
    right.join();
    return balance_a + balance_b != 20;
}
