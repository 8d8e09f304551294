// A loop that goes on for the number that is tried first, and writes: it has an end when other
// numbers are tried first for a change.
// leno[--property assert]: verdict=bug kind=assert
// leno[--property assert]: cflags=-DENDLESS verdict=bug kind=assert
// leno[--property assert --search source]: cflags=-DENDLESS verdict=bug kind=assert
// leno[--property assert --isolate]: cflags=-DENDLESS verdict=bug kind=assert
#include <assert.h>
#include <leno.h>
#include <pthread.h>
#include <stddef.h>

#ifdef ENDLESS
#define GOES_ON 1
#else
#define GOES_ON (rounds < 30)
#endif

static int rounds;

static void *count(void *unused)
{
    do
        rounds++;
    while (GOES_ON && leno_choose(2) == 0);
    return unused;
}

int main(void)
{
    pthread_t counter;
    pthread_create(&counter, NULL, count, NULL);
    pthread_join(counter, NULL);
    assert(rounds == 0);
    return 0;
}
