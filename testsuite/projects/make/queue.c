#include "queue.h"

#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned capacity, first, length;
    int values[];
};

struct queue *queue_new(unsigned capacity)
{
    struct queue *queue = malloc(sizeof *queue + capacity * sizeof queue->values[0]);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->capacity = capacity;
    queue->first = queue->length = 0;
    return queue;
}

void queue_put(struct queue *queue, int value)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->length == queue->capacity)
        pthread_cond_wait(&queue->changed, &queue->lock);
    queue->values[(queue->first + queue->length++) % queue->capacity] = value;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

int queue_take(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->length == 0)
        pthread_cond_wait(&queue->changed, &queue->lock);
    int value = queue->values[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->length--;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return value;
}

unsigned queue_length(struct queue *queue)
{
#ifdef HASTY
    return queue->length; /* without the lock */
#else
    pthread_mutex_lock(&queue->lock);
    unsigned length = queue->length;
    pthread_mutex_unlock(&queue->lock);
    return length;
#endif
}

void queue_delete(struct queue *queue)
{
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}
