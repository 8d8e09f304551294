// The memory that a thread was given for its stack is its own until it has been joined.
// leno: args=joined verdict=safe executions=1
// leno: args=freed verdict=bug kind=memory message~"frees the stack of a thread that has not ended" related~"created it here, line 40"
// leno: args=resized verdict=bug kind=memory message~"reallocates the stack of"
// leno: args=unmapped verdict=bug kind=memory message~"unmaps the stack of"
// leno: args=twice verdict=bug kind=memory message~"gives a thread the stack of one that has not ended"
// leno: args=detached verdict=bug kind=memory message~"gives a thread the stack of one that has not ended"
// leno: args=cleared verdict=bug kind=race accesses=2
// leno: args=small verdict=bug kind=memory message~"across the end of a block of 100 bytes"
// leno: args=gone verdict=bug kind=memory message~"block of 65536 bytes that has been freed"
// leno: args=local verdict=bug kind=memory message~"of the stack of a thread that has ended"
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SIZE = 1 << 16 };

static sem_t begun;
static pthread_t child;

static void *work(void *address)
{
    int value = 1;
    if (address)
        *(int *volatile *)address = &value;
    sem_post(&begun);
    if (address)
        value++;
    return NULL;
}

static void create(pthread_t *thread, char *stack, void *argument)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, SIZE);
    pthread_create(thread, &attributes, work, argument);
}

static char *start(pthread_t *thread, char *stack, void *argument)
{
    create(thread, stack, argument);
    sem_wait(&begun);
    return stack;
}

static void *parent(void *unused)
{
    char here[SIZE];
    create(&child, here, NULL);
    return unused;
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    pthread_t thread, next;
    static int *address;
    sem_init(&begun, 0, 0);
    if (strcmp(how, "joined") == 0) {
        char *stack = start(&thread, malloc(SIZE), NULL);
        pthread_join(thread, NULL);
        memset(stack, 0, SIZE);
        start(&thread, stack, NULL);
        pthread_join(thread, NULL);
        free(stack);
        return argc < 0;
    }
    if (strcmp(how, "freed") == 0) {
        free(start(&thread, malloc(SIZE), NULL));
    } else if (strcmp(how, "resized") == 0) {
        free(realloc(start(&thread, malloc(SIZE), NULL), 2 * SIZE));
    } else if (strcmp(how, "unmapped") == 0) {
        const int access = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS;
        munmap(start(&thread, mmap(NULL, SIZE, access, kind, -1, 0), NULL), SIZE);
    } else if (strcmp(how, "twice") == 0) {
        create(&next, start(&thread, malloc(SIZE), NULL), NULL);
        pthread_join(next, NULL);
    } else if (strcmp(how, "detached") == 0) {
        char *stack = start(&thread, malloc(2 * SIZE), NULL);
        pthread_detach(thread);
        start(&thread, stack + SIZE / 2, NULL);
    } else if (strcmp(how, "cleared") == 0) {
        memset(start(&thread, malloc(SIZE), &address), 0, SIZE);
    } else if (strcmp(how, "small") == 0) {
        start(&thread, malloc(100), NULL);
    } else if (strcmp(how, "gone") == 0) {
        char *stack = malloc(SIZE);
        free(stack);
        start(&thread, stack, NULL);
    } else {
        pthread_create(&thread, NULL, parent, NULL);
        pthread_join(thread, NULL);
        thread = child;
    }
    pthread_join(thread, NULL);
    return 0;
}
