#include "queue.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int values = 2;

static void *produce(void *queue)
{
    for (int value = 1; value <= values; value++)
        queue_put(queue, value);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        values = atoi(argv[1]);
    struct queue *queue = queue_new(1);
    pthread_t producer;
    pthread_create(&producer, NULL, produce, queue);
    int sum = 0;
    for (int i = 0; i < values; i++) {
        assert(queue_length(queue) <= 1);
        sum += queue_take(queue);
    }
    pthread_join(producer, NULL);
    assert(sum == values * (values + 1) / 2);
    queue_delete(queue);
    return 0;
}
