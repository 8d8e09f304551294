// leno: cflags="-std=c++17" verdict=safe
// leno: cflags="-std=c++17 -DRELAXED" verdict=bug kind=race
#include <atomic>
#include <thread>

#ifdef RELAXED
#define PUBLISH std::memory_order_relaxed
#else
#define PUBLISH std::memory_order_release
#endif

template <class T> class Queue {
    struct Node {
        T value{};
        std::atomic<Node *> next{nullptr};
    };
    std::atomic<Node *> head, tail;

public:
    Queue() { head = tail = new Node; }
    void push(T value)
    {
        Node *node = new Node;
        node->value = value;
        for (;;) {
            Node *last = tail.load(std::memory_order_acquire);
            Node *next = nullptr;
            if (last->next.compare_exchange_strong(next, node, PUBLISH, std::memory_order_acquire)) {
                tail.compare_exchange_strong(last, node, PUBLISH);
                return;
            }
            tail.compare_exchange_strong(last, next, PUBLISH);
        }
    }
    bool pop(T &value)
    {
        for (;;) {
            Node *first = head.load(std::memory_order_acquire);
            Node *next = first->next.load(std::memory_order_acquire);
            if (!next)
                return false;
            if (head.compare_exchange_strong(first, next, std::memory_order_acq_rel)) {
                value = next->value;
                return true;
            }
        }
    }
};

int main()
{
    static Queue<int> queue;
    std::thread thread([] { queue.push(1); });
    queue.push(2);
    int first = 0, second = 0;
    bool any = queue.pop(first);
    thread.join();
    bool other = queue.pop(second);
    return !any || !other || first + second != 3;
}
