// One broadcast sets two waiters free.
// leno: verdict=safe
#include <pthread.h>

static pthread_mutex_t m;
static pthread_cond_t c;
static int open_gate;

static void *pass(void *unused)
{
    pthread_mutex_lock(&m);
    while (!open_gate)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutex_init(&m, NULL);
    pthread_cond_init(&c, NULL);
    pthread_create(&a, NULL, pass, NULL);
    pthread_create(&b, NULL, pass, NULL);
    pthread_mutex_lock(&m);
    open_gate = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_cond_destroy(&c);
    pthread_mutex_destroy(&m);
    return 0;
}
