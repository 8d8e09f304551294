// Boost.Lockfree: what two threads put into a queue (a stack with -DSTACK) comes out once.
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/stack.hpp>

#include <cassert>
#include <thread>

#ifdef STACK
static boost::lockfree::stack<int, boost::lockfree::capacity<2>> shared;
#else
static boost::lockfree::queue<int, boost::lockfree::capacity<2>> shared;
#endif

int main()
{
    std::thread a([] { assert(shared.push(5)); });
    std::thread b([] { assert(shared.push(6)); });
    a.join();
    int found, sum = 0;
    if (shared.pop(found))
        sum += found;
    b.join();
    while (shared.pop(found))
        sum += found;
    assert(sum == 11);
}
