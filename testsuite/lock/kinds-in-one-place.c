// What lies where there was another mutex is another mutex: here a recursive one, which is
// initialised by assignment, so that no call says so.
// leno: verdict=safe executions=1
// leno: cflags=-DNORMAL verdict=bug kind=deadlock
#define _GNU_SOURCE
#include <pthread.h>

#ifdef NORMAL
#define SECOND PTHREAD_MUTEX_INITIALIZER
#else
#define SECOND PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#endif

static pthread_mutex_t mutex;

static void lock(int times)
{
    for (int i = 0; i < times; i++)
        pthread_mutex_lock(&mutex);
    for (int i = 0; i < times; i++)
        pthread_mutex_unlock(&mutex);
}

int main(void)
{
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    lock(1);
    mutex = (pthread_mutex_t)SECOND;
    lock(2);
    return 0;
}
