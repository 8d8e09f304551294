// Inputs are tried one by one; if nobody says which, the verdict is none.
// leno: verdict=unknown coverage=bounded executions=2
// leno[--nondet int=-2..2]: verdict=safe executions=5
// leno[--nondet int=0..7]: verdict=bug kind=assert
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    assert(n != 7);
    return 0;
}
