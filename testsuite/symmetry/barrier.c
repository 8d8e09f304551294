// Threads that wait at a barrier, and those that leave it, are interchangeable; but not the
// one that is told that it is the serial thread, nor the one that decides who is.
// leno[--explain-symmetry]: verdict=safe symmetric~"T2 T3 at 13" symmetric~"T2 T3 at 14" apart~"T2 T3 at 14: lock they stand at different events"
// leno[--symmetry off]: verdict=safe executions=108
// leno[--symmetry on]: verdict=safe executions=2
#include <pthread.h>

static pthread_barrier_t b;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *worker(void *arg) {
    pthread_mutex_lock(&m), x++, pthread_mutex_unlock(&m);
    pthread_barrier_wait(&b);
    pthread_mutex_lock(&m), x++, pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[3];
    pthread_barrier_init(&b, 0, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    pthread_barrier_destroy(&b);
    return x != 6;
}
