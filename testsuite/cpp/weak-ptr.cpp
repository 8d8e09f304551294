// leno: cflags="-std=c++17" verdict=safe
#include <memory>
#include <thread>

int main()
{
    auto object = std::make_shared<int>(3);
    std::weak_ptr<int> weak = object;
    int seen = 3;
    std::thread thread([weak, &seen] {
        if (auto alive = weak.lock())
            seen = *alive;
    });
    object.reset();
    thread.join();
    return seen != 3 || !weak.expired();
}
