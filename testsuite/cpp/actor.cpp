// An actor handles its messages one by one; std::variant, std::visit and std::function.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DPEEK" verdict=bug kind=race
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <variant>

struct Add { int amount; };
struct Say { std::string text; };
struct Stop {};
using Message = std::variant<Add, Say, Stop>;

class Actor {
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<Message> inbox;
    std::thread thread{[this] { run(); }};

    bool handle(const Add &add) { total += add.amount; return true; }
    bool handle(const Say &say) { said += say.text; return true; }
    bool handle(const Stop &) { return false; }
    void run()
    {
        for (bool alive = true; alive;) {
            std::unique_lock<std::mutex> lock(mutex);
            arrived.wait(lock, [this] { return !inbox.empty(); });
            Message message = std::move(inbox.front());
            inbox.pop_front();
            lock.unlock();
            alive = std::visit([this](const auto &m) { return handle(m); }, message);
        }
    }

public:
    int total = 0;
    std::string said;
    void tell(Message message)
    {
        std::lock_guard<std::mutex> guard(mutex);
        inbox.push_back(std::move(message));
        arrived.notify_one();
    }
    void join() { thread.join(); }
};

int main()
{
    Actor *actor = new Actor;
    actor->tell(Add{2});
    actor->tell(Say{"a word that is longer than fifteen letters"});
#ifdef PEEK
    int seen = actor->total;
#endif
    actor->tell(Stop{});
    actor->join();
#ifndef PEEK
    int seen = actor->total;
#endif
    bool right = seen <= 2 && actor->said.size() == 42;
    delete actor;
    return !right;
}
