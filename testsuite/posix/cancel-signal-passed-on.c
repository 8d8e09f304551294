// A cancelled waiter takes no signal away from another one.
// leno: cflags=-DOTHER=1 verdict=safe
// leno: cflags=-DOTHER=0 verdict=bug kind=deadlock object=cond
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, tokens;

static void unlock(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&mutex);
}

static void *take(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    waiting++;
    while (tokens == 0)
        pthread_cond_wait(&cond, &mutex);
    tokens--;
    pthread_cleanup_pop(1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_mutex_lock(&mutex);
    int both = waiting == 2;
    tokens = both ? 1 : 2;
    if (both)
        pthread_cond_signal(&cond);
    else
        pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    if (both) {
        /* One token: whoever does not get it is cancelled, or both are. */
        pthread_cancel(a);
        if (OTHER)
            pthread_cancel(b);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
