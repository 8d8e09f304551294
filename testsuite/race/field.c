// The report names the field, by its type.
// leno: verdict=bug kind=race object=table[3].next
#include <pthread.h>
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

static struct node table[4];

static void *clear(void *unused)
{
    table[3].next = NULL;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, clear, NULL);
    table[3].next = &table[0];
    pthread_join(thread, NULL);
    return 0;
}
