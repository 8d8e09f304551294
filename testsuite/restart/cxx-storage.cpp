// The main thread's thread-local storage begins where its memory begins: nothing below it may
// be read when it is kept.
// leno: verdict=safe executions=2
// leno: cflags=-O1 verdict=safe executions=2
#include <atomic>
#include <pthread.h>

static std::atomic<int> x;

static void *work(void *unused)
{
    x = 1;
    return unused;
}

int main()
{
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
    int seen = x.load();
    pthread_join(thread, nullptr);
    return seen > 1;
}
