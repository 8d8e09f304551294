// A reader announces what it reads; the writer waits until nobody does before it deletes.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DHASTY" verdict=bug
#include <atomic>
#include <thread>

struct Node {
    int value;
};

static std::atomic<Node *> current{new Node{1}};
static std::atomic<Node *> hazard{nullptr};

static int read()
{
    Node *node;
    do {
        node = current.load();
        hazard.store(node);
#ifdef HASTY
        break;
#endif
    } while (current.load() != node);
    int value = node->value;
    hazard.store(nullptr);
    return value;
}

static void replace(int value)
{
    Node *old = current.exchange(new Node{value});
    while (hazard.load() == old)
        ;
    delete old;
}

int main()
{
    std::thread writer(replace, 2);
    int value = read();
    writer.join();
    return value != 1 && value != 2;
}
