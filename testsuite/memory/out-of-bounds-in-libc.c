// What a function of the C library reads or writes is looked at like any other access.
// leno: cflags=-DCALL=memset(p,0,9) verdict=bug kind=memory message="writes 9 bytes across the end of a block of 8 bytes"
// leno: cflags="-DCALL=memcpy(p,eight,9)" verdict=bug kind=memory
// leno: cflags="-DCALL=strcpy(p,eight)" verdict=bug kind=memory
// leno: cflags="-DCALL=strcat(strcpy(p,four),four)" verdict=bug kind=memory
// leno: cflags="-DCALL=memcmp(p,q,9)" verdict=bug kind=memory message="reads 9 bytes across the end of a block of 8 bytes"
// leno: cflags="-DCALL=memset(freed,0,1)" verdict=bug kind=memory message="writes 1 byte of a block of 8 bytes that has been freed"
// leno: cflags="-DCALL=strlen(freed)" verdict=bug kind=memory
// leno: cflags="-DCALL=strcpy(p,eight+1)" verdict=safe
// leno: cflags="-DCALL=memset(p,0,8)" verdict=safe
#include <stdlib.h>
#include <string.h>

static const char eight[] = "01234567", four[] = "0123";
volatile long sink;

int main(void)
{
    char *p = malloc(8), *q = malloc(16), *freed = malloc(8);
    free(freed);
    memset(q, 0, 16);
    sink = (long)CALL;
    free(p);
    free(q);
    return 0;
}
