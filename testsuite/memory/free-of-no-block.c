// leno: cflags=-DWHAT=local verdict=bug kind=memory message="frees memory of a stack"
// leno: cflags=-DWHAT=global verdict=bug kind=memory message="frees a global variable"
// leno: cflags="-DWHAT=(block+1)" verdict=bug kind=memory message="frees the middle of a block" related="the same thread allocated it here, line 16"
// leno: cflags=-DWHAT=wild verdict=bug kind=memory message="frees what is no block"
// leno: cflags="-DWHAT=(block+1) -DREALLOC" verdict=bug kind=memory message="reallocates the middle of a block"
// leno: cflags=-DWHAT=block verdict=safe
// leno: cflags="-DWHAT=block -DREALLOC" verdict=safe
#include <stdint.h>
#include <stdlib.h>

static int global[4];

int main(void)
{
    int local[4];
    int *block = malloc(16);
    int *wild = (int *)(uintptr_t)0x123450;
    local[0] = global[0] = block[0] = wild != 0;
#ifdef REALLOC
    block = realloc(WHAT, 32);
    free(block);
#else
    free(WHAT);
#endif
    return 0;
}
