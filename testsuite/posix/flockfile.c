// The lock of a stream is a recursive mutex like others, and can be part of a deadlock.
// leno: cflags=-DORDER=1 verdict=safe
// leno: cflags=-DORDER=0 verdict=bug kind=deadlock
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *one(void *unused)
{
    flockfile(stdout);
    flockfile(stdout);
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    funlockfile(stdout);
    funlockfile(stdout);
    return unused;
}

static void *other(void *unused)
{
    if (ORDER)
        flockfile(stdout);
    pthread_mutex_lock(&mutex);
    if (!ORDER)
        flockfile(stdout);
    counter++;
    funlockfile(stdout);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (ftrylockfile(stdout) == 0)
        funlockfile(stdout);
    return 0;
}
