// One element too many, and a block that is freed twice.
// leno: cflags=-DLAST=10 verdict=bug kind=memory
// leno: cflags=-DLAST=9 verdict=safe
// leno: cflags="-DLAST=9 -DTWICE" verdict=bug kind=memory
#include <stdlib.h>

int main(void)
{
    int *numbers = malloc(10 * sizeof *numbers);
    for (int i = 0; i <= LAST; i++)
        numbers[i] = i;
    free(numbers);
#ifdef TWICE
    free(numbers);
#endif
    return 0;
}
