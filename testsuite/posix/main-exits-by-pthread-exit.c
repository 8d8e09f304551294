// The end of main by pthread_exit leaves the others running; the process ends with the last.
// leno: cflags=-DLOCK=1 verdict=safe
// leno: cflags=-DLOCK=0 verdict=bug kind=race object=counter
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *unused)
{
    if (LOCK)
        pthread_mutex_lock(&mutex);
    counter++;
    if (LOCK)
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_detach(a);
    pthread_detach(b);
    pthread_exit(NULL);
}
