// The count of a loop begins anew whenever it is entered, and whenever its function is
// called: no loop here goes round more than twice in a row.
// leno[--unroll 2]: verdict=safe coverage=exhaustive executions=1 blocked=0
// leno[--unroll 2]: cflags=-O2 verdict=safe coverage=exhaustive executions=1 blocked=0
// leno[--unroll 1]: verdict=unknown coverage=bounded executions=0 blocked=1
#include <assert.h>

static int rounds;

static void inner(void)
{
    for (int k = 0; k < 2; k++) {
        rounds++;
    }
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            inner();
        }
    }
    assert(rounds == 8);
    return 0;
}
