// moodycamel's queues: ConcurrentQueue (two producers, a consumer), and with -DBLOCKING
// ReaderWriterQueue (one of each, which waits).
#include <cassert>
#include <thread>
#ifdef BLOCKING
#include <readerwriterqueue/readerwriterqueue.h>
#else
#include <concurrentqueue/concurrentqueue.h>
#endif

int main()
{
#ifdef BLOCKING
    moodycamel::BlockingReaderWriterQueue<int> queue(2);
    std::thread producer([&] {
        queue.enqueue(5);
        queue.enqueue(6);
    });
    int first, second;
    queue.wait_dequeue(first);
    queue.wait_dequeue(second);
    assert(first == 5 && second == 6);
    producer.join();
#else
    moodycamel::ConcurrentQueue<int> queue(2);
    std::thread a([&] { assert(queue.enqueue(5)); });
    std::thread b([&] { assert(queue.enqueue(6)); });
    int found, sum = 0;
    if (queue.try_dequeue(found))
        sum += found;
    a.join();
    b.join();
    while (queue.try_dequeue(found))
        sum += found;
    assert(sum == 11);
#endif
}
