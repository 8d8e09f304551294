// The first thread writes g, which nobody else has touched: no event. Where both stand at the
// exchange, nothing in memory tells them apart, and if the first one goes on nobody else will
// ever touch g. If the second one does, it reads what the first has written: a race, which
// would be lost with the branch.
// leno: verdict=bug kind=race object=g
// leno[--symmetry on]: verdict=bug kind=race object=g
// leno[--symmetry on --search source]: verdict=bug kind=race object=g
// leno[--explain-symmetry --max-executions 1]: apart~"one of them has used it, and nobody else has until now"
#include <pthread.h>
#include <stdatomic.h>

static int g, seen;
static atomic_int flag;

static void *worker(void *arg) {
    if (!arg) g = 1;
    arg = 0;
    if (!atomic_exchange(&flag, 1)) seen = g;
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
