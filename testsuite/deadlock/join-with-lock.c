// main joins a thread that needs the lock main holds.
// leno: verdict=bug kind=deadlock
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&m);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&m);
    return 0;
}
