// What a promise is given at the end of its thread is ready behind the destructors of the
// thread's own variables.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DTASK" verdict=safe
// leno: cflags="-std=c++17 -DEXCEPTION" verdict=safe
// leno: cflags="-std=c++17 -DABANDONED" verdict=safe
// leno: cflags="-std=c++17 -DIMPATIENT" verdict=bug kind=race object=destroyed
// leno: cflags="-std=c++17 -DIMPATIENT -DTASK" verdict=bug kind=race object=destroyed
// Not with libc++: it has compiled this itself, and there is no model of it.
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

static int destroyed;

struct Own {
    int times = 1;
    ~Own() { destroyed += times; }
};

static thread_local Own own;

static int compute()
{
    own.times = 2;
    return 4;
}

static void work(std::promise<int> promise)
{
    int result = compute();
#ifdef EXCEPTION
    promise.set_exception_at_thread_exit(std::make_exception_ptr(std::length_error("none")));
#else
    promise.set_value_at_thread_exit(result);
#endif
}

static int result_of(std::future<int> &future)
{
    try {
        return future.get();
    } catch (const std::length_error &) {
        return 4;
    }
}

int main()
{
    std::future<int> future;
#ifdef TASK
    std::packaged_task<int()> task(compute);
    future = task.get_future();
    std::thread thread([task = std::move(task)]() mutable { task.make_ready_at_thread_exit(); });
#else
    std::promise<int> promise;
    future = promise.get_future();
    std::thread thread(work, std::move(promise));
#endif
#ifdef ABANDONED
    // Nobody waits, and the state may go before the thread ends.
    future = {};
#elif defined IMPATIENT
    bool early = destroyed == 2;
    assert(result_of(future) == 4 || early);
#else
    assert(result_of(future) == 4);
    assert(destroyed == 2);
#endif
    thread.join();
}
