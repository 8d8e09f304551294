// A mutex is initialised by each thread that comes along, not by the first alone.
// leno: verdict=bug kind=lock message="initialises a mutex that is locked"
// leno: cflags=-DONCE verdict=safe
#include <pthread.h>

static pthread_mutex_t m;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void) { pthread_mutex_init(&m, NULL); }

static void *work(void *unused)
{
#ifdef ONCE
    pthread_once(&once, make);
#else
    (void)once;
    make();
#endif
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
