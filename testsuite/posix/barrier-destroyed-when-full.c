// A barrier may be destroyed, and its memory be given back, as soon as somebody has come out of
// it: that waits until the others have left. To give it back without that does not.
// leno: verdict=safe
// leno: cflags=-DKEPT verdict=bug kind=race
// leno[--property memory]: cflags=-DKEPT verdict=bug kind=memory message~"freed"
// leno: cflags=-DEVERYBODY verdict=bug
#include <pthread.h>
#include <stdlib.h>

static void *meet(void *place)
{
    pthread_barrier_t *barrier = place;
    int result = pthread_barrier_wait(barrier);
#ifdef EVERYBODY
    result = PTHREAD_BARRIER_SERIAL_THREAD;
#endif
    if (result == PTHREAD_BARRIER_SERIAL_THREAD) {
#ifndef KEPT
        pthread_barrier_destroy(barrier);
#endif
        free(barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_t *barrier = malloc(sizeof *barrier);
    pthread_barrier_init(barrier, NULL, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, meet, barrier);
    meet(barrier);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
