// leno_choose tries all values, leno_assume drops executions.
// leno: verdict=safe executions=2 blocked=1
#include <leno.h>

int main(void)
{
    int value = leno_choose(3);
    leno_assume(value != 1);
    return 0;
}
