// A variable that its own function needs no more is needed as long as somebody has its
// address: what it holds tells the threads apart.
// leno: verdict=bug kind=assert
// leno[--symmetry on]: verdict=bug kind=assert
// leno[--explain-symmetry --max-executions 1]: apart~"T1 T2 at 15: value what p in add leads to"
// leno[--explain-symmetry]: cflags="-DSAME" verdict=safe symmetric~"T1 T2 at 15"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void add(int *p)
{
    pthread_mutex_lock(&m);
    x = 3 * x + *p;
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg)
{
    int number = arg != 0;
#ifdef SAME
    number = 1;
#endif
    arg = 0;
    add(&number);
    return 0;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
#ifndef SAME
    assert(x == 1);
#endif
    return 0;
}
