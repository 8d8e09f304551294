// The names that other checkers have for the same things.
// leno[--nondet int=0..3]: verdict=safe executions=3 blocked=1
// leno[--nondet int=0..3]: cflags=-DWRONG verdict=bug kind=assert
// leno[--nondet int=0..3]: cflags="-DWRONG -DESBMC" verdict=bug kind=assert
// leno[--nondet int=0..3]: cflags="-DWRONG -DCPROVER" verdict=bug kind=assert
// leno[--nondet int=0..3]: cflags="-DWRONG -DGOBLINT" verdict=bug kind=assert
// leno: cflags=-DESBMC verdict=unknown
#include <stddef.h>

#if defined ESBMC
#define NAME(what) __ESBMC_##what
#define CHECK(condition) __ESBMC_assert(condition, "below three")
void __ESBMC_assert(_Bool, const char *);
#elif defined CPROVER
#define NAME(what) __CPROVER_##what
#define CHECK(condition) __CPROVER_assert(condition, "below three")
void __CPROVER_assert(_Bool, const char *);
#elif defined GOBLINT
#define NAME(what) __goblint_##what
#define CHECK(condition) __goblint_check(condition)
#define __goblint_atomic_begin() __goblint_split_begin(tried)
#define __goblint_atomic_end() __goblint_split_end(tried)
void __goblint_check(_Bool);
void __goblint_split_begin(int);
void __goblint_split_end(int);
#else
#define NAME(what) __VERIFIER_##what
#define CHECK(condition) __VERIFIER_assert(condition)
void __VERIFIER_assert(int);
#endif

int nondet_int(void);
void NAME(assume)(int);
#ifndef GOBLINT
void NAME(atomic_begin)(void);
void NAME(atomic_end)(void);
#endif

int main(void)
{
    static int tried;
    int value = nondet_int();
    NAME(atomic_begin)();
    tried++;
    NAME(atomic_end)();
#ifndef WRONG
    NAME(assume)(value < 3);
#endif
    CHECK(value < 3);
    return tried - 1;
}
