// Threads are created without end. The bound stops who creates them, and the others go on:
// what they do wrong is found.
// leno[--max-threads 3]: verdict=unknown coverage=bounded executions=0 notes~"threads.c:34 in main"
// leno[--max-threads 3 --search source]: verdict=unknown coverage=bounded executions=0
// leno[--max-threads 3]: cflags=-DWRONG verdict=bug kind=assert
// leno[--max-threads 3 --isolate]: cflags=-DWRONG verdict=bug kind=assert
// leno[--max-threads 2]: cflags=-DWRONG verdict=unknown coverage=bounded bugs=0
// leno[--max-threads 4]: cflags=-DFEW verdict=safe coverage=exhaustive
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int count;

static void *enter(void *unused)
{
#ifdef WRONG
    assert(atomic_fetch_add(&count, 1) < 2);
#else
    atomic_fetch_add(&count, 1);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef FEW
    for (int i = 0; i < 4; i++)
#else
    for (;;)
#endif
        pthread_create(&thread, NULL, enter, NULL);
    return 0;
}
