// A loop that waits is recognised on a stack that the program gave, too, although it writes
// what it has seen to a variable there. (Where everything is an event, it is not.)
// leno: args="0" verdict=safe
// leno: args="2" verdict=safe
// leno: args="1" verdict=bug kind=termination message~"wait for a write"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE = 1 << 16 };

static atomic_int flag;
static char areas[2][SIZE];

__attribute__((noinline)) static void look(int *seen)
{
    *seen = atomic_load(&flag);
}

static void *await(void *unused)
{
    int seen;
    do
        look(&seen);
    while (!seen);
    return unused;
}

static void *set(void *unused)
{
    flag = 1;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    int count = atoi(argv[argc - 1]);
    for (int i = 0; i < count; i++) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, areas[i], SIZE);
        pthread_create(&threads[i], &attributes, i ? set : await, NULL);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
