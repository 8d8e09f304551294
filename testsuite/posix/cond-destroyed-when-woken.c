// A condition variable may be destroyed, and its memory be given back, as soon as all who wait
// for it have been woken: they do not touch it again, nor does who gives up at that moment.
// Without the destruction nobody waits until they have left.
// leno: verdict=safe
// leno: cflags="-DKEPT" verdict=bug kind=race
// leno: cflags=-DTIMED verdict=safe
// leno: cflags="-DTIMED -DKEPT" verdict=bug kind=race
// leno[--property memory]: cflags="-DTIMED -DKEPT -DASLEEP" verdict=bug kind=memory message~"freed"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct entry {
    int busy;
    pthread_cond_t idle;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entry;

static void *find(void *unused)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    pthread_mutex_lock(&lock);
    struct entry *mine = entry;
    while (mine && mine == entry && mine->busy) {
#ifdef TIMED
        if (pthread_cond_timedwait(&mine->idle, &lock, &soon))
            break;
#else
        pthread_cond_wait(&mine->idle, &lock);
#endif
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    struct entry *mine = malloc(sizeof *mine);
    mine->busy = 1;
    pthread_cond_init(&mine->idle, NULL);
    entry = mine;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, find, NULL);
    pthread_mutex_lock(&lock);
    entry = NULL;
    mine->busy = 0;
#ifndef ASLEEP
    pthread_cond_broadcast(&mine->idle);
#endif
    pthread_mutex_unlock(&lock);
#ifndef KEPT
    pthread_cond_destroy(&mine->idle);
#endif
    free(mine);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
