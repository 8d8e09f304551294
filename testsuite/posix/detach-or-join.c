// A thread that detaches itself may be joined before it does so. After that the join is
// refused, and when the thread has ended there is none to be joined.
// leno: cflags=-DCAREFUL=1 verdict=bug kind=lock message~"was detached and has ended"
// leno[--property assert,deadlock]: cflags=-DCAREFUL=1 verdict=safe
// leno[--property assert,deadlock]: cflags=-DCAREFUL=0 verdict=bug kind=assert
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *work(void *unused)
{
    pthread_detach(pthread_self());
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    int error = pthread_join(thread, NULL);
    if (CAREFUL)
        assert(error == 0 || error == EINVAL);
    else
        assert(error == 0);
    return 0;
}
