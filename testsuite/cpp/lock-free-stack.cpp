// A stack of Treiber's. Who pops and deletes at once reads a node that another one has freed.
// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -O2" verdict=safe
// leno: cflags="-std=c++17 -DDELETES" verdict=bug kind=race
// leno[--property memory]: cflags="-std=c++17 -DDELETES" verdict=bug kind=memory
#include <atomic>
#include <thread>

template <class T> class Stack {
    struct Node {
        T value;
        Node *next;
    };
    std::atomic<Node *> head{nullptr};

public:
    void push(T value)
    {
        Node *node = new Node{value, head.load(std::memory_order_relaxed)};
        while (!head.compare_exchange_weak(node->next, node, std::memory_order_release,
                                           std::memory_order_relaxed))
            ;
    }
    bool pop(T &value)
    {
        Node *node = head.load(std::memory_order_acquire);
        while (node && !head.compare_exchange_weak(node, node->next, std::memory_order_acquire))
            ;
        if (!node)
            return false;
        value = node->value;
#ifdef DELETES
        delete node;
#endif
        return true;
    }
};

int main()
{
    static Stack<int> stack;
    stack.push(1);
    stack.push(2);
    int mine = 0, other = 0;
    std::thread thread([&] { stack.pop(other); });
    stack.pop(mine);
    thread.join();
    return mine + other != 3;
}
