// Threads of std::thread with equal lambdas, whose captures are the same.
// leno[--explain-symmetry]: verdict=safe symmetric~"T1 T2"
// leno[--explain-symmetry]: cflags="-DNUMBERED" verdict=safe symmetric="" apart~"what a value in operator() leads to is 0 and 1"
#include <mutex>
#include <thread>
#include <vector>

#ifdef NUMBERED
#define CAPTURE i
#define NUMBER i
#else
#define CAPTURE
#define NUMBER 1
#endif

static std::mutex m;
static int x;

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back([CAPTURE] {
            std::lock_guard<std::mutex> guard(m);
            x += NUMBER;
        });
    for (auto &thread : threads)
        thread.join();
    return 0;
}
