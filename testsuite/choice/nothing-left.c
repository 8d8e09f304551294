// No execution is left by what the program assumes. That is no bug, and it is said; what comes
// before the assumption is looked at all the same.
// leno: verdict=safe executions=0 notes~"assumes what does not hold"
// leno: cflags=-DSOME verdict=safe executions=1
// leno: cflags=-DEARLY verdict=bug kind=assert
#include <assert.h>
#include <leno.h>

int main(void)
{
    int number = leno_choose(2);
#ifdef EARLY
    assert(number == 0);
#endif
#ifdef SOME
    leno_assume(number == 1);
#else
    leno_assume(number == 2);
    assert(0);
#endif
    return 0;
}
