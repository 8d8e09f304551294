// The end of the wait locks a mutex that is no more.
// leno: verdict=bug kind=lock message~"destroys a mutex that" related~"T1 (wait)"
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waits;

static void *wait(void *unused)
{
    pthread_mutex_lock(&m);
    waits = 1;
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(&m);
    int waiting = waits;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    if (waiting) {
        pthread_mutex_destroy(&m);
        pthread_join(thread, NULL);
    }
    return 0;
}
