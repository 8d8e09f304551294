// Boost.Asio: a pool of one thread runs two functions that were posted to it, one of them by
// another thread, and is joined.
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <cassert>
#include <thread>

int main()
{
    int ran = 0;
    {
        boost::asio::thread_pool pool(1);
        std::thread other([&] { boost::asio::post(pool, [&] { ran++; }); });
        boost::asio::post(pool, [&] { ran++; });
        other.join();
        pool.join();
    }
    assert(ran == 2);
}
