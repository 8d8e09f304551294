// std::lock and std::scoped_lock take several locks by trying and backing off: of the rounds
// that fail none has to be tried, but what a thread waits for behind one has.
// leno: cflags="-std=c++17" verdict=safe executions=2
// leno: cflags="-std=c++17 -O2" verdict=safe executions=2
// leno: cflags="-std=c++17 -DTHREE" verdict=safe
// leno: cflags="-std=c++11 -DUNIQUE" verdict=safe executions=2
// leno: cflags="-std=c++14 -O2 -DUNIQUE -DTHREE" verdict=safe
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=deadlock
// leno: cflags="-std=c++17 -DHELD" verdict=bug kind=deadlock
// leno: cflags="-std=c++17 -DTWICE" verdict=bug kind=deadlock
// leno: cflags="-std=c++17 -DSAME" verdict=bug kind=termination
// leno: cflags="-std=c++17 -DRACE" verdict=bug kind=race object=balance_b
// A lock that is tried elsewhere tells of rounds that failed: they are not left out.
// leno: cflags="-std=c++17 -DTRY" verdict=bug kind=assert
// leno: cflags="-std=c++17 -DTRY -DCAREFUL" verdict=safe
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b, c;
static int balance_a = 10, balance_b = 10;

static void move(std::mutex &from, std::mutex &to, int amount)
{
#if defined WRONG
    std::lock_guard<std::mutex> first(from), second(to);
#elif defined UNIQUE
    std::unique_lock<std::mutex> first(from, std::defer_lock), second(to, std::defer_lock);
#ifdef THREE
    std::unique_lock<std::mutex> third(c, std::defer_lock);
    std::lock(third, first, second);
#else
    std::lock(first, second);
#endif
#elif defined THREE
    std::scoped_lock all(from, c, to);
#else
    std::scoped_lock both(from, to);
#endif
    balance_a -= amount;
    balance_b += amount;
}

#ifdef TRY
// What is tried second fails only if std::lock has failed and begun with it.
static bool met;
static void meet()
{
    std::scoped_lock both(a, b);
}
static void look()
{
    std::lock_guard<std::mutex> first(a);
#ifdef CAREFUL
    met = !b.try_lock();
    if (!met)
        b.unlock();
#else
    bool free = b.try_lock();
    assert(free);
    b.unlock();
#endif
}
#endif

int main()
{
#if defined TRY
    std::thread left(meet), right(look);
#elif defined SAME
    std::thread left([] { move(a, a, 1); }), right([] { });
#elif defined TWICE
    std::lock_guard<std::mutex> mine(b);
    std::thread left(move, std::ref(c), std::ref(a), 3), right([] {});
    move(a, b, 1);
#else
    std::thread left(move, std::ref(a), std::ref(b), 3);
#if defined HELD
    // Each waits for what the other has.
    std::thread right([] {
        std::lock_guard<std::mutex> second(b);
        std::lock_guard<std::mutex> third(c);
    });
    std::thread other([] {
        std::lock_guard<std::mutex> third(c);
        std::scoped_lock both(a, b);
    });
    other.join();
#elif defined RACE
    std::thread right([] {
        std::lock_guard<std::mutex> first(a);
        balance_b++;
    });
    std::lock_guard<std::mutex> second(b);
    balance_b++;
#else
    std::thread right(move, std::ref(b), std::ref(a), -2);
#endif
#endif
#if defined THREE
    move(b, a, 1);
#endif
#ifndef RACE
    left.join();
#else
    left.detach();
#endif
    right.join();
    return 0;
}
