// leno: cflags=-DCOUNT=0 verdict=bug kind=lock message="initialises a barrier for no thread, and ignores the error"
// leno: cflags=-DCOUNT=2 verdict=safe
// leno: cflags="-DCOUNT=2 -DNEVER" verdict=bug kind=lock message="waits at a barrier that was never initialised"
// leno[--keep-going]: cflags="-DCOUNT=3 -DEARLY" verdict=bug kind=lock message="destroys a barrier that a thread waits for" related="T1 (wait) waits here, line 13"
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t b;
static atomic_int arrives;

static void *wait(void *unused)
{
    pthread_barrier_wait(&b);
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifndef NEVER
    pthread_barrier_init(&b, NULL, COUNT);
#endif
    pthread_create(&thread, NULL, wait, NULL);
#ifndef EARLY
    pthread_barrier_wait(&b);
    pthread_join(thread, NULL);
#endif
    pthread_barrier_destroy(&b);
    return 0;
}
