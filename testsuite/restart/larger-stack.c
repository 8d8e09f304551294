// What an attempt has found to be shared counts, although the attempt is broken off because
// a thread needs a larger stack than was there. Only the second execution comes to that.
// leno: verdict=safe executions=2
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, settings[8];
static pthread_attr_t attributes;

static void *child(void *unused)
{
    return unused;
}

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    int early = !ready;
    pthread_mutex_unlock(&lock);
    int sum = 0;
    if (early) {
        for (int i = 0; i < 8; i++)
            sum += settings[i];
        pthread_t thread;
        pthread_create(&thread, &attributes, child, NULL);
        pthread_join(thread, NULL);
    }
    return sum ? unused : NULL;
}

int main(void)
{
    for (int i = 0; i < 8; i++)
        settings[i] = i;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 32 << 20);
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
