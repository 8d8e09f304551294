// The program writes over its stack, and then fails. Who called whom is on that stack, and so the
// report has to do without; but a report there is.
// leno: verdict=bug kind=crash message~"SIGABRT" notes~"the program has written over it"
// leno[--isolate]: verdict=bug kind=crash message~"SIGABRT" notes~"the program has written over it"
// leno: cflags=-DASSERT verdict=bug kind=assert notes~"the program has written over it"
// leno: cflags=-DSTORE verdict=bug kind=crash message~"SIGSEGV" notes~"the program has written over it"
// leno: cflags=-DLOCK verdict=bug kind=crash message~"SIGSEGV" notes~"the program has written over it"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if defined ASSERT
#define fail() assert(0)
#elif defined STORE
#define fail() (*(volatile int *)8 = 1)
#elif defined LOCK
#define fail() lock()
#else
#define fail() abort()
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void damage(char *array)
{
    memset(array - 48, 0x41, 248);
    fail();
}

static void *run(void *unused)
{
    char array[8];
    lock();
    damage(array);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    lock();
    pthread_join(thread, NULL);
    return 0;
}
