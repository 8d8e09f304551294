// A lock as benchmarks write it: what cannot be taken is assumed away. Two threads take it
// one after the other; without it they race.
// leno: verdict=safe
// leno: cflags=-DUNLOCKED verdict=bug kind=race object=counter
#include <pthread.h>

extern void __VERIFIER_assume(int);

int taken;
static int counter;

void __VERIFIER_atomic_acquire(void)
{
    __VERIFIER_assume(taken == 0);
    taken = 1;
}

void __VERIFIER_atomic_release(void)
{
    taken = 0;
}

static void *body(void *unused)
{
#ifndef UNLOCKED
    __VERIFIER_atomic_acquire();
#endif
    counter++;
#ifndef UNLOCKED
    __VERIFIER_atomic_release();
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, body, 0);
    pthread_create(&b, 0, body, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
