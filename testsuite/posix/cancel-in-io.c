// Input and output are cancellation points: a thread that reads from an empty pipe can be
// cancelled there, and one that writes may not come to what follows.
// leno: cflags=-DREAD verdict=safe
// leno: cflags="-DREAD -DNOT" verdict=bug kind=termination
// leno: cflags=-DWRITE verdict=safe
// leno: cflags="-DWRITE -DHOLDS" verdict=bug kind=deadlock
// leno: cflags="-DWRITE -DHOLDS -DCLEANS" verdict=safe
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void *work(void *unused)
{
    char byte = 1;
#ifdef READ
    read(ends[0], &byte, 1);
#elif defined CLEANS
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    write(ends[1], &byte, 1);
    pthread_cleanup_pop(1);
#elif defined HOLDS
    pthread_mutex_lock(&mutex);
    write(ends[1], &byte, 1);
    unlock(&mutex);
#else
    write(ends[1], &byte, 1);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, NULL, work, NULL);
#ifndef NOT
    pthread_cancel(thread);
#endif
    pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
