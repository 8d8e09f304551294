// The workers of a pool: they wait for jobs, take them from a queue, and are interchangeable
// between jobs, and while their jobs are the same.
// leno[--explain-symmetry]: verdict=safe symmetric~"T1 T2 at 13" symmetric~"T1 T2 at 15"
// leno[--explain-symmetry --symmetry on]: verdict=safe apart~"incomparable main is the main thread"
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int jobs, done, closed;

static void *worker(void *arg) {
    for (;;) {
        pthread_mutex_lock(&m);
        while (!jobs && !closed)
            pthread_cond_wait(&c, &m);
        if (!jobs) {
            pthread_mutex_unlock(&m);
            return arg;
        }
        int job = jobs--;
        pthread_mutex_unlock(&m);
        job *= 2;
        pthread_mutex_lock(&m);
        done += job;
        pthread_mutex_unlock(&m);
    }
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, 0);
    pthread_mutex_lock(&m);
    jobs = 2;
    closed = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return done != 6;
}
