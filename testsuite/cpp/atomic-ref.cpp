// leno: cflags="-std=c++20" verdict=safe executions=2
// leno[--search optimal]: cflags="-std=c++20" verdict=safe executions=2
// leno: cflags="-std=c++20 -DWRONG" verdict=bug kind=race object=counter
#include <atomic>
#include <thread>

static int counter;

int main()
{
    std::thread thread([] { std::atomic_ref<int>(counter).fetch_add(1); });
#ifdef WRONG
    counter++;
#else
    std::atomic_ref<int>(counter).fetch_add(1);
#endif
    thread.join();
    return counter != 2;
}
