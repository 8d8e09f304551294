// A thread that joins itself is refused: it had better look at the error.
// leno: cflags=-DLOOKS=1 verdict=safe
// leno: cflags=-DLOOKS=0 verdict=bug kind=lock message~"joins itself, and ignores the error"
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *work(void *unused)
{
    if (LOOKS)
        assert(pthread_join(pthread_self(), NULL) == EDEADLK);
    else
        pthread_join(pthread_self(), NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
