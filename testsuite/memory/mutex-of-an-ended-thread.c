// The mutex is a local variable of the thread that does not wait for the other.
// leno: verdict=bug kind=memory message~"of the stack of a thread that has ended"
// leno: cflags=-DJOIN verdict=safe
#include <pthread.h>

static void *use(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

static void *own(void *unused)
{
    pthread_t thread;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&thread, NULL, use, &m);
#ifdef JOIN
    pthread_join(thread, NULL);
#else
    pthread_detach(thread);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, own, NULL);
    pthread_join(thread, NULL);
    pthread_exit(NULL);
}
