// A thread runs on the memory that it was given: its variables lie there, wherever that is, and
// so do those of its handlers and destructors. When it has been joined, the memory is free for
// the next one.
// leno: args=static verdict=safe executions=12
// leno: args=block verdict=safe executions=12
// leno: args=aligned verdict=safe executions=12
// leno: args=mapping verdict=safe executions=12
// leno: args=local verdict=safe executions=12
// leno[--record-all]: args=block verdict=safe
// leno: args=static cflags="-no-pie -fno-pie -O2" verdict=safe executions=12
// leno: args=static cflags=-DELSEWHERE verdict=bug kind=assert
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SIZE = 1 << 16 };

static char area[SIZE + 16];
static char *low;
static pthread_key_t key;
static _Thread_local int own = 1;
static sem_t never;
static int left;

static void inside(const void *place)
{
    assert((const char *)place >= low && (const char *)place < low + SIZE);
}

static void leave(void *value)
{
    inside(&value);
    left += *(int *)value;
}

static void *work(void *how)
{
    pthread_attr_t attributes;
    void *start;
    size_t size;
    int value = ++own;
    char text[32];
    inside(&value);
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    pthread_attr_getstack(&attributes, &start, &size);
    assert(start == low && size == SIZE);
    snprintf(text, sizeof text, "%d %.2f", value, 0.5);
    assert(strcmp(text, "2 0.50") == 0);
    pthread_setspecific(key, &own);
    pthread_cleanup_push(leave, &value);
    if (how == &never)
        sem_wait(&never);
    if (how == &left)
        pthread_exit(how);
    pthread_cleanup_pop(1);
    return how;
}

static void run(const pthread_attr_t *attributes, void *how, void *result)
{
    pthread_t thread;
    assert(pthread_create(&thread, attributes, work, how) == 0);
    if (how == &never)
        pthread_cancel(thread);
    void *found;
    pthread_join(thread, &found);
    assert(found == result && left == 4);
    left = 0;
}

int main(int argc, char **argv)
{
    char here[SIZE];
    int is_mapping = strcmp(argv[1], "mapping") == 0;
    if (strcmp(argv[1], "block") == 0)
        low = malloc(SIZE);
    else if (strcmp(argv[1], "aligned") == 0)
        low = aligned_alloc(4096, SIZE);
    else if (is_mapping)
        low = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    else if (strcmp(argv[1], "local") == 0)
        low = here;
    else
        low = area + 5;
    memset(low, 0xa5, SIZE);
    pthread_key_create(&key, leave);
    sem_init(&never, 0, 0);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstack(&attributes, low, 100) != 0);
    assert(pthread_attr_setstack(&attributes, low, SIZE) == 0);
#ifdef ELSEWHERE
    low = here;
#endif
    run(&attributes, NULL, NULL);
    run(&attributes, &left, &left);
    run(&attributes, &never, PTHREAD_CANCELED);
    if (strcmp(argv[1], "block") == 0 || strcmp(argv[1], "aligned") == 0)
        free(low);
    if (is_mapping)
        munmap(low, SIZE);
    return argc < 0;
}
