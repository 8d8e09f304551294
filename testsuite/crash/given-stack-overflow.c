// A thread that runs below the memory that it was given for its stack has overflowed, whether
// there is a guard or other memory of the program's.
// leno: args="10 0" verdict=safe
// leno: args="10 1" verdict=safe
// leno: args="100000 0" verdict=bug kind=crash message~"stack overflow"
// leno: args="100000 1" verdict=bug kind=crash message~"stack overflow"
// leno[--isolate]: args="100000 1" verdict=bug kind=crash message~"stack overflow"
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SIZE = 1 << 16, PAGE = 4096 };

static char area[2][SIZE];

__attribute__((noinline)) static void fill(int *left)
{
    int rest = *left - 1;
    if (rest > 0)
        fill(&rest);
    *left = rest;
}

static void *work(void *depth)
{
    fill(depth);
    return NULL;
}

int main(int argc, char **argv)
{
    int depth = atoi(argv[1]);
    char *low = area[1];
    if (atoi(argv[2])) {
        const int kind = MAP_PRIVATE | MAP_ANONYMOUS;
        low = mmap(NULL, PAGE + SIZE, PROT_READ | PROT_WRITE, kind, -1, 0);
        mprotect(low, PAGE, PROT_NONE);
        low += PAGE;
    }
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, low, SIZE);
    pthread_create(&thread, &attributes, work, &depth);
    pthread_join(thread, NULL);
    return argc < 0;
}
