// main goes with pthread_exit, and what it gave to the thread goes with it.
// leno: verdict=bug kind=memory message~"of the stack of a thread that has ended"
// leno: cflags=-DSTATIC verdict=safe
// leno: cflags=-DJOIN verdict=safe
#include <pthread.h>

static void *use(void *number)
{
    ++*(int *)number;
    return NULL;
}

int main(void)
{
    pthread_t thread;
#ifdef STATIC
    static
#endif
    int number = 3;
    pthread_create(&thread, NULL, use, &number);
#ifdef JOIN
    pthread_join(thread, NULL);
#endif
    pthread_exit(NULL);
}
