// A node is published by a compare-exchange whose success is a flag; who finds it may read it.
// leno: verdict=safe
// leno[--property race]: cflags=-DLATE verdict=bug kind=race
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int value;
};

static struct node *head;

static bool exchange_if(struct node **at, struct node *expected, struct node *new)
{
    bool done;
    __asm__ volatile("lock cmpxchgq %3, %0"
                     : "+m"(*at), "=@ccz"(done), "+a"(expected)
                     : "q"(new)
                     : "memory", "cc");
    return done;
}

static struct node *look(struct node **at)
{
    struct node *found;
    __asm__ volatile("movq %1, %0" : "=r"(found) : "m"(*at));
    return found;
}

static void *publish(void *unused)
{
    struct node *node = malloc(sizeof *node);
#ifdef LATE
    exchange_if(&head, NULL, node);
    node->value = 7;
#else
    node->value = 7;
    if (!exchange_if(&head, NULL, node))
        free(node);
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, publish, NULL);
    pthread_create(&b, NULL, publish, NULL);
    struct node *found = look(&head);
    if (found)
        assert(found->value == 7);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(head->value == 7);
    return 0;
}
