// Boost.Lockfree: a queue for one producer and one consumer keeps order and content.
#include <boost/lockfree/spsc_queue.hpp>

#include <cassert>
#include <pthread.h>

static boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;

static void *produce(void *unused)
{
    assert(queue.push(5));
    assert(queue.push(6));
    return unused;
}

int main()
{
    pthread_t thread;
    pthread_create(&thread, nullptr, produce, nullptr);
    int expected = 5, found;
    for (int tries = 0; tries < 3; tries++)
        if (queue.pop(found))
            assert(found == expected++);
    pthread_join(thread, nullptr);
    while (queue.pop(found))
        assert(found == expected++);
    assert(expected == 7);
}
