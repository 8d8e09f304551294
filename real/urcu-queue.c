/* Userspace RCU's wait-free queue (KIND=queue) and lock-free stack (KIND=stack): two
   threads that put a node each, the main thread takes both. */
#define _LGPL_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <urcu/compiler.h>
#include <urcu/lfstack.h>
#include <urcu/wfcqueue.h>
#include <urcu/wfstack.h>

#define queue 1
#define stack 2
#define wfstack 3

struct item {
#if KIND == queue
    struct cds_wfcq_node node;
#elif KIND == stack
    struct cds_lfs_node node;
#else
    struct cds_wfs_node node;
#endif
    int value;
};

static struct item items[2];
#if KIND == queue
static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
#elif KIND == stack
static struct cds_lfs_stack top;
#else
static struct cds_wfs_stack top;
#endif

static void *put(void *item)
{
    struct item *it = item;
    it->value = 1 + (int)(it - items);
#if KIND == queue
    cds_wfcq_node_init(&it->node);
    cds_wfcq_enqueue(&head, &tail, &it->node);
#elif KIND == stack
    cds_lfs_node_init(&it->node);
    cds_lfs_push(&top, &it->node);
#else
    cds_wfs_node_init(&it->node);
    cds_wfs_push(&top, &it->node);
#endif
    return NULL;
}

static struct item *take(void)
{
#if KIND == queue
    struct cds_wfcq_node *node = cds_wfcq_dequeue_blocking(&head, &tail);
#elif KIND == stack
    struct cds_lfs_node *node = cds_lfs_pop_blocking(&top);
#else
    struct cds_wfs_node *node = cds_wfs_pop_blocking(&top);
#endif
    return node ? caa_container_of(node, struct item, node) : NULL;
}

int main(void)
{
    pthread_t a, b;
#if KIND == queue
    cds_wfcq_init(&head, &tail);
#elif KIND == stack
    cds_lfs_init(&top);
#else
    cds_wfs_init(&top);
#endif
    pthread_create(&a, NULL, put, &items[0]);
    pthread_create(&b, NULL, put, &items[1]);
    struct item *early = take();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    struct item *first = early ? early : take(), *second = take();
    assert(first && second && first != second && !take());
    assert(first->value + second->value == 3);
    return 0;
}
