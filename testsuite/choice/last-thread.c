// Main is dropped by what it assumes, and the thread comes to its end after it. That is not
// the end of the program: nobody looks at what main would still have done.
// leno: verdict=safe executions=0 blocked=1
// leno[--search source]: verdict=safe executions=0 blocked=1
// leno[--isolate]: verdict=safe executions=0 blocked=1
// leno: cflags=-DHOLDS verdict=safe executions=1 blocked=0
#include <assert.h>
#include <leno.h>
#include <pthread.h>
#include <stdlib.h>

#ifdef HOLDS
enum { HOLDS_NOW = 1 };
#else
enum { HOLDS_NOW = 0 };
#endif

static int done;

static void at_the_end(void)
{
    assert(done);
}

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t worker;
    atexit(at_the_end);
    pthread_create(&worker, NULL, work, NULL);
    leno_assume(HOLDS_NOW);
    pthread_join(worker, NULL);
    done = 1;
    return 0;
}
