// Two threads give up an object at the same time; the last one destroys it.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DWRONG" verdict=bug kind=race
#include <memory>
#include <thread>

struct Object {
    int value = 1;
    ~Object() { value = 0; }
};

int main()
{
    auto object = std::make_shared<Object>();
    int seen = 0;
#ifdef WRONG
    std::thread thread([&] { auto mine = object; seen = mine->value; });
#else
    std::thread thread([mine = object, &seen]() mutable { seen = mine->value; mine.reset(); });
#endif
    object.reset();
    thread.join();
    return seen != 1;
}
