// The pointer to the vtable is written while another thread calls through it.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=race
#include <memory>
#include <thread>

struct Shape {
    virtual ~Shape() { done(); }
    virtual int sides() const { return 0; }
    void done() {}
};

struct Square : Shape {
    int sides() const override { return 4; }
};

struct Waits : Square {
    std::thread thread;
    int seen = 0;
    void start() { thread = std::thread([this] { seen = sides(); }); }
    int sides() const override { return 5; }
};

struct Joins {
    std::thread thread;
    ~Joins() { if (thread.joinable()) thread.join(); }
};

int main()
{
    Joins joins;
    auto shape = std::make_unique<Waits>();
    shape->start();
#ifndef WRONG
    shape->thread.join();
#endif
    joins.thread = std::move(shape->thread);
    shape.reset();
}
