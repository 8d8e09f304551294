// A loop that makes no event and does not end (it would at 0, which does not come). The
// others go on all the same, and their bug is found.
// leno[--unroll 10]: verdict=bug kind=assert
// leno[--unroll 10]: cflags=-O2 verdict=bug kind=assert
// leno[--unroll 10]: cflags=-DCORRECT verdict=unknown coverage=bounded executions=0 blocked=1
#include <assert.h>
#include <pthread.h>

static void *runs_on(void *unused)
{
    unsigned number = 27;
    while (number != 0) {
        number = number % 2 ? 3 * number + 1 : number / 2;
    }
    return unused;
}

static void *fails(void *unused)
{
#ifndef CORRECT
    assert(unused);
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, runs_on, NULL);
    pthread_create(&b, NULL, fails, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
