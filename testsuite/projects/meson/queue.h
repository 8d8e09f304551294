/* A bounded queue for several producers and consumers. */
#ifndef QUEUE_H
#define QUEUE_H

#ifdef __cplusplus
extern "C" {
#endif

struct queue;

struct queue *queue_new(unsigned capacity);
void queue_put(struct queue *queue, int value);
int queue_take(struct queue *queue);
unsigned queue_length(struct queue *queue);
void queue_delete(struct queue *queue);

#ifdef __cplusplus
}
#endif
#endif
