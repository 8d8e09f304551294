// leno: cflags="-DBLOCK=malloc(40) -DAT=10" verdict=bug kind=memory message="writes 4 bytes right behind a block of 40 bytes" related="the same thread allocated it here, line 17"
// leno: cflags="-DBLOCK=malloc(40) -DAT=12" verdict=bug kind=memory message="writes 4 bytes, 8 past the end of a block of 40 bytes"
// leno: cflags="-DBLOCK=malloc(40) -DAT=-1" verdict=bug kind=memory message="writes 4 bytes, 4 before the start of a block of 40 bytes"
// leno: cflags="-DBLOCK=malloc(38) -DAT=9" verdict=bug kind=memory message="writes 4 bytes across the end of a block of 38 bytes"
// leno: cflags="-DBLOCK=calloc(10,4) -DAT=10" verdict=bug kind=memory
// leno: cflags="-DBLOCK=realloc(malloc(80),40) -DAT=10" verdict=bug kind=memory
// leno: cflags="-DBLOCK=aligned_alloc(64,64) -DAT=16" verdict=bug kind=memory
// leno: cflags="-DBLOCK=malloc(0) -DAT=0" verdict=bug kind=memory
// leno: cflags="-DBLOCK=malloc(40) -DAT=9" verdict=safe
// leno: cflags="-DBLOCK=calloc(10,4) -DAT=0" verdict=safe
#include <stdlib.h>

int main(void)
{
    volatile int at = AT;
    int *block =
        BLOCK;
    block[at] = 1;
    free(block);
    return 0;
}
