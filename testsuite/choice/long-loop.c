// A loop that goes on for the number that is tried first, and writes: it has an end when other
// numbers are tried first for a change.
// leno[--property assert]: verdict=bug kind=assert
// leno[--property assert --search source]: verdict=bug kind=assert
// leno[--property assert --isolate]: verdict=bug kind=assert
#include <assert.h>
#include <leno.h>
#include <pthread.h>
#include <stddef.h>

static int rounds;

static void *count(void *unused)
{
    do
        rounds++;
    while (leno_choose(2) == 0);
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
