// Clocks and random numbers are virtual before main too: times that were noted there can be
// compared with later ones, and what they decide is the same in every process (a trace is
// replayed in another one).
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DLOTS" verdict=bug kind=race object=counter
// leno: cflags="-std=c++17 -DTIMES" verdict=bug kind=race object=counter
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <random>
#include <sys/time.h>
#include <thread>

using Clock = std::chrono::steady_clock;
using std::chrono::hours;
using std::chrono::milliseconds;

static const Clock::time_point start = Clock::now();
static const std::time_t seconds = std::time(nullptr);
static const unsigned lot = std::random_device()();
static std::mutex mutex;

static const bool waited = [] {
    // Waits that end with a timeout end, and sleeps take their time.
    std::condition_variable never;
    std::unique_lock<std::mutex> lock(mutex);
    auto before = Clock::now();
    bool in_vain = never.wait_for(lock, milliseconds(1)) == std::cv_status::timeout;
    std::this_thread::sleep_until(Clock::now() + milliseconds(1));
    return in_vain && Clock::now() - before >= milliseconds(2);
}();

static std::atomic<unsigned> turns;
static int counter;

static void work(unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        turns++;
    counter++;
}

int main()
{
    assert(waited);
    unsigned times = 1;
#ifdef LOTS
    times = lot % 977;
#elif defined TIMES
    times = start.time_since_epoch().count() / 1000 % 977;
#endif
    std::thread thread(work, times);
#if defined LOTS || defined TIMES
    work(times);
#endif
    thread.join();
    auto since = Clock::now() - start;
    assert(since > Clock::duration::zero() && since < hours(1));
    timeval now;
    gettimeofday(&now, nullptr);
    assert(seconds < now.tv_sec && now.tv_sec < seconds + 3600);
}
