// Threads of one loop with the same argument are interchangeable: at their first event, and
// wherever they stand at the same one. Their creator has their handles, and joins them all.
// leno[--explain-symmetry]: verdict=safe symmetric="T1 T2 at 12, T1 T3 at 12, T2 T3 at 12, T2 T3 at 0, T1 T3 at 0, T1 T2 at 0"
// Not so where one is further on.
// leno[--explain-symmetry --symmetry on]: verdict=safe apart~"T1 T2 at 0 and 12: code their stacks are 0 and 1 calls deep" executions=1
#include <pthread.h>

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    pthread_mutex_lock(&m), x++, pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
