// An atomic section may choose, as often as it likes and depending on what it reads: it stays
// one step. (Programs that spell out a weak memory model are written like this.)
// leno: verdict=safe
// leno[--search naive]: verdict=safe
// leno[--isolate]: verdict=safe
// leno: cflags=-DLATER verdict=bug kind=assert
// leno: cflags=-DSTALE verdict=bug kind=assert
// leno[--search naive]: cflags=-DSTALE verdict=bug kind=assert
// leno: cflags=-DTHIRD verdict=bug kind=assert
// leno[--isolate]: cflags=-DTHIRD verdict=bug kind=assert
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assert(int);
int leno_choose(int);

static int x, y, old, seen = -1;
static _Bool buffered;

// A store may stay in a buffer, from which it is flushed later, or never.
static void *store(void *unused)
{
    __VERIFIER_atomic_begin();
    old = x;
    x = 1;
    buffered = __VERIFIER_nondet_bool();
    if (buffered && __VERIFIER_nondet_bool())
        buffered = 0;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    y = 1;
    __VERIFIER_atomic_end();
    return unused;
}

static void *load(void *unused)
{
    __VERIFIER_atomic_begin();
    int both = x + y;
    seen = buffered && __VERIFIER_nondet_bool() ? old : x;
    int third = leno_choose(3);
    __VERIFIER_assert(third < 3);
#ifdef THIRD
    __VERIFIER_assert(third < 2);
#endif
    __VERIFIER_assert(seen == 0 || both > 0);
    __VERIFIER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, store, 0);
    pthread_create(&b, 0, load, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef LATER
    __VERIFIER_assert(!(seen == 0 && y == 1 && !buffered && old == 0 && x == 1));
#endif
#ifdef STALE
    __VERIFIER_atomic_begin();
    __VERIFIER_assert(!(buffered && seen == 0));
    __VERIFIER_atomic_end();
#endif
    return 0;
}
