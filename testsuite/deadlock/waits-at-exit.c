// A thread that waits for work when main returns is no bug.
// leno: verdict=safe
// leno: cflags=-DJOIN verdict=bug kind=deadlock message="deadlock: main and T1 wait for ever"
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int work;

static void *serve(void *unused)
{
    pthread_mutex_lock(&m);
    for (;;) {
        while (!work)
            pthread_cond_wait(&c, &m);
        work = 0;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, serve, NULL);
    pthread_mutex_lock(&m);
    work = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
#ifdef JOIN
    pthread_join(thread, NULL);
#endif
    return 0;
}
