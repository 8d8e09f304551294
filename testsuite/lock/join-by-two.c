// Of two threads that join a third one, the second is refused while the first waits; if it
// comes when the first has joined, there is no thread any more.
// leno: cflags=-DBOTH=0 verdict=safe
// leno: cflags=-DBOTH=1 verdict=bug kind=lock message~joins
#include <pthread.h>

static pthread_t thread;

static void *work(void *unused)
{
    return unused;
}

static void *other(void *unused)
{
    if (BOTH)
        pthread_join(thread, NULL);
    return unused;
}

int main(void)
{
    pthread_t joiner;
    pthread_create(&thread, NULL, work, NULL);
    pthread_create(&joiner, NULL, other, NULL);
    pthread_join(thread, NULL);
    pthread_join(joiner, NULL);
    return 0;
}
