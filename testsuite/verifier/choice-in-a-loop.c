// Loops of atomic sections that choose whether to go on. Where no choice ends the loop, no
// execution comes to an end, and leno does not call that safe.
// leno: verdict=safe
// leno[--search naive]: verdict=safe
// leno: cflags=-DWRONG verdict=bug kind=assert
// leno: cflags=-DNOBODY verdict=unknown executions=0
// leno: cflags="-DNOBODY -DPLAIN" verdict=unknown executions=0
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assert(int);
_Bool __VERIFIER_nondet_bool(void);

static int flag, rounds;

static void *set(void *unused)
{
#ifndef NOBODY
    __VERIFIER_atomic_begin();
    flag = __VERIFIER_nondet_bool() ? 1 : 2;
    __VERIFIER_atomic_end();
#endif
    return unused;
}

static void *wait(void *unused)
{
    for (;;) {
#ifdef PLAIN
        _Bool tired = __VERIFIER_nondet_bool();
        __VERIFIER_atomic_begin();
#else
        __VERIFIER_atomic_begin();
        _Bool tired = __VERIFIER_nondet_bool();
#endif
        int seen = flag;
        if (seen && tired)
            rounds++;
        __VERIFIER_atomic_end();
        if (seen)
            return unused;
    }
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, wait, 0);
    pthread_create(&b, 0, set, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef WRONG
    __VERIFIER_assert(!(rounds && flag == 2));
#endif
    __VERIFIER_assert(rounds < 2);
    return 0;
}
