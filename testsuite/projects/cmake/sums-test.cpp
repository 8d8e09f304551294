// Two threads hand their numbers to a third, which alone adds them up.
#include "queue.h"
#include "sums.h"

#include <cassert>

static void *give(void *queue)
{
    queue_put(static_cast<struct queue *>(queue), 20);
    return nullptr;
}

int main()
{
    struct queue *queue = queue_new(2);
    pthread_t threads[2];
    for (pthread_t &thread : threads)
        pthread_create(&thread, nullptr, give, queue);
    Sum sum;
    for (int i = 0; i < 2; i++)
        sum.add(queue_take(queue));
    for (pthread_t thread : threads)
        pthread_join(thread, nullptr);
    assert(sum.value() == 40);
    queue_delete(queue);
}
