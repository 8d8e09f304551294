// Leaks are looked for on request. What a global, a stack, thread-local storage, other
// blocks or their insides still point to is not lost.
// leno[--property leak]: verdict=bug kind=leak message~"a block of 24 bytes is lost" object~"allocated at"
// leno[--property leak]: cflags=-DHEAD verdict=bug kind=leak message~"2 blocks of 32 bytes in all are lost"
// leno[--property leak]: cflags=-DKEEP=global=p verdict=safe
// leno[--property leak]: cflags=-DKEEP=local=p verdict=safe
// leno[--property leak]: cflags=-DKEEP=chain() verdict=safe
// leno[--property leak]: cflags=-DKEEP=middle=(char*)p+8 verdict=safe
// leno[--property leak]: cflags=-DKEEP=free(p) verdict=safe
// leno[--property leak]: cflags=-DKEEP=specific(p) verdict=safe
// leno[--property leak --isolate]: verdict=bug kind=leak
// leno: verdict=safe
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *global;
static char *middle;
static _Thread_local void *local;

static void specific(void *p)
{
    pthread_key_t key;
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, p);
}

static void *p;

static void chain(void)
{
    void **outer = malloc(16);
    outer[1] = p;
    global = outer;
}

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    printf("buffered by libc\n");
    p = malloc(24);
#ifdef HEAD
    void **head = malloc(8);
    *head = p;
    head = NULL;
#endif
#ifdef KEEP
    KEEP;
#endif
    p = NULL;
    (void)specific, (void)chain, (void)global, (void)middle, (void)local;
    return 0;
}
