// Each thread has an errno of its own; who uses that of another races with it.
// leno: verdict=safe executions=1
// leno: cflags=-O2 verdict=safe executions=1
// leno: cflags=-DSHARED verdict=bug kind=race
// leno: cflags="-DSHARED -O2" verdict=bug kind=race
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *fail(void *of_main)
{
    errno = 0;
    assert(close(-1) == -1 && errno == EBADF);
#ifdef SHARED
    *(int *)of_main = 0;
#endif
    return of_main;
}

int main(void)
{
    pthread_t thread;
    errno = ERANGE;
    pthread_create(&thread, NULL, fail, &errno);
    assert(errno == ERANGE);
    pthread_join(thread, NULL);
    return 0;
}
