// Of a truth value there are two, and nothing has to be declared.
// leno: verdict=safe executions=4
#include <stdbool.h>

extern bool __VERIFIER_nondet_bool(void);

int main(void)
{
    bool a = __VERIFIER_nondet_bool();
    bool b = __VERIFIER_nondet_bool();
    return a && b ? 0 : 0;
}
