// Loops made by jumps: into the middle of a loop, and by a computed goto. Where the way
// in cannot be told from the way round, the bound is on all rounds of the call.
// leno[--unroll 4]: verdict=unknown coverage=bounded executions=0 blocked=1
// leno[--unroll 4]: cflags=-DCOMPUTED verdict=unknown coverage=bounded executions=0 blocked=1
// leno[--unroll 4]: cflags="-DCOMPUTED -O2" verdict=unknown coverage=bounded executions=0 blocked=1
// leno[--unroll 20]: verdict=safe coverage=exhaustive executions=1 blocked=0
// leno[--unroll 20]: cflags=-DCOMPUTED verdict=safe coverage=exhaustive executions=1 blocked=0
// leno: cflags=-DCOMPUTED verdict=safe coverage=exhaustive executions=1 blocked=0
#include <assert.h>

static int steps;

static void jump(int into)
{
#ifdef COMPUTED
    static void *const places[] = { &&one, &&two, &&end };
    goto *places[into];
one:
    steps++;
    goto *places[steps < 10 ? 1 : 2];
two:
    steps++;
    goto *places[steps < 10 ? 0 : 2];
end:
    return;
#else
    if (into) {
        goto middle;
    }
    while (steps < 10) {
        steps++;
middle:
        steps++;
    }
#endif
}

int main(void)
{
    jump(1);
    assert(steps >= 10);
    return 0;
}
