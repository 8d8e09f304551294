// Two threads read from one descriptor, or from one stream: who gets what is open.
// leno: verdict=safe executions=2
// leno: cflags=-DCLAIM verdict=bug kind=assert
// leno: cflags=-DSTREAM verdict=safe executions=2
// leno: cflags="-DSTREAM -DCLAIM" verdict=bug kind=assert
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int file;
static FILE *stream;

static void *take(void *got)
{
#ifdef STREAM
    *(int *)got = fgetc(stream);
#else
    char byte;
    assert(read(file, &byte, 1) == 1);
    *(int *)got = byte;
#endif
    return NULL;
}

int main(void)
{
    file = open("data", O_RDWR | O_CREAT | O_EXCL, 0600);
    assert(write(file, "ab", 2) == 2 && lseek(file, 0, SEEK_SET) == 0);
    stream = fopen("data", "r");
    int first = 0, second = 0;
    pthread_t a, b;
    pthread_create(&a, NULL, take, &first);
    pthread_create(&b, NULL, take, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(first + second == 'a' + 'b');
#ifdef CLAIM
    assert(first == 'a');
#endif
    return 0;
}
