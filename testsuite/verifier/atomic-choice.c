// Choices inside of an atomic section, among as many as what it finds there says. All that
// can come out is seen: none if `limit` is still 0; behind the write of 3 three, two of them with
// two more. Numbers that the section does not ask for are dropped.
// leno[--symmetry off]: verdict=safe executions=6
// leno[--symmetry off --search naive]: verdict=safe executions=17
// leno: cflags=-DSEEN=2 verdict=bug kind=assert
// leno: cflags=-DSEEN=1 verdict=bug kind=assert
// leno: cflags=-DSEEN=5 verdict=bug kind=assert
// leno: cflags=-DSEEN=3 verdict=safe
// leno: cflags=-DSEEN=6 verdict=safe
#include <assert.h>
#include <pthread.h>

extern int leno_choose(int);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int limit, out;

void __VERIFIER_atomic_choose(void)
{
    int twice = 0;
    int number = leno_choose(limit);
    if (number > 0)
        twice = __VERIFIER_nondet_bool();
    out = number + 3 * twice;
}

static void *body(void *unused)
{
    __VERIFIER_atomic_choose();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, body, 0);
    __VERIFIER_atomic_begin();
    limit = 3;
    __VERIFIER_atomic_end();
    pthread_join(thread, 0);
#ifdef SEEN
    assert(out != SEEN);
#endif
    return 0;
}
