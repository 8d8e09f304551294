// A function that a header defines to be inlined is still the library's: who reads first is
// tried, at every level of optimisation.
// leno: cflags=-O0 verdict=bug kind=assert
// leno: cflags=-O2 verdict=bug kind=assert
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *stream;

static void *body(void *second)
{
    int c = getc_unlocked(stream);
    if (second)
        assert(c != '1');
    return 0;
}

int main(void)
{
    pthread_t a, b;
    stream = fopen("digits", "w+");
    fputs("12", stream);
    rewind(stream);
    pthread_create(&a, 0, body, 0);
    pthread_create(&b, 0, body, &stream);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
