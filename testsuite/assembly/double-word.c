// A stack whose head is a pointer and a count of changes, in one compare-exchange of 16 bytes;
// without the count, a node that was taken and put back is mistaken for one that never moved.
// leno: verdict=safe
// leno: cflags=-DNO_COUNT verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct node {
    struct node *next;
};

static struct {
    struct node *top;
    uint64_t changes;
} head __attribute__((aligned(16)));
static struct node nodes[2];

static struct node *look_next(struct node *node)
{
    struct node *next;
    __asm__ volatile("movq %1, %0" : "=r"(next) : "m"(node->next));
    return next;
}

static bool replace(struct node **top, uint64_t *changes, struct node *new)
{
    bool done;
#ifdef NO_COUNT
    uint64_t next = *changes;
#else
    uint64_t next = *changes + 1;
#endif
    __asm__ volatile("lock; cmpxchg16b %0; setz %1"
                     : "+m"(head), "=q"(done), "+a"(*top), "+d"(*changes)
                     : "b"(new), "c"(next)
                     : "memory", "cc");
    return done;
}

static struct node *pop(void)
{
    struct node *top = NULL;
    uint64_t changes = 0;
    /* Reads the head: nothing is changed if it is empty. */
    replace(&top, &changes, NULL);
    while (top) {
        struct node *next = look_next(top);
        if (replace(&top, &changes, next))
            return top;
    }
    return NULL;
}

static void push(struct node *node)
{
    struct node *top = NULL;
    uint64_t changes = 0;
    do
        __asm__ volatile("movq %1, %0" : "=m"(node->next) : "r"(top));
    while (!replace(&top, &changes, node));
}

static struct node *kept;

static void *take_two_return_one(void *unused)
{
    struct node *first = pop();
    kept = pop();
    if (first)
        push(first);
    return unused;
}

static void *take_one(void *unused)
{
    pop();
    return unused;
}

int main(void)
{
    head.top = &nodes[0];
    nodes[0].next = &nodes[1];
    head.changes = 1;
    pthread_t a, b;
    pthread_create(&a, NULL, take_two_return_one, NULL);
    pthread_create(&b, NULL, take_one, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!kept || head.top != kept);
    return 0;
}
