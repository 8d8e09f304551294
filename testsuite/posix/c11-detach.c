// A detached thread is nobody's: what it does is not ordered by a join.
// leno: cflags=-DDETACH=0 verdict=safe
// leno: cflags=-DDETACH=1 verdict=bug kind=race object=data
#include <threads.h>

static int data;

static int work(void *unused)
{
    (void)unused;
    thrd_yield();
    data = 1;
    return 0;
}

int main(void)
{
    thrd_t thread;
    thrd_create(&thread, work, NULL);
    if (DETACH)
        thrd_detach(thread);
    else
        thrd_join(thread, NULL);
    return data & 0;
}
