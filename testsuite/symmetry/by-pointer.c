// Jobs are called by pointer. What the program itself calls is seen; a function of a library
// in between holds variables that nobody sees. (What earlier calls of a library have left on
// the stack is no such function.)
// leno[--explain-symmetry]: verdict=safe symmetric="T1 T2 at 15, T1 T2 at 0"
// leno[--explain-symmetry]: cflags="-DLIBRARY" verdict=safe symmetric="T1 T2 at 0" apart~"T1 T2 at 15: incomparable T1: worker calls order"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
typedef int compare(const void *, const void *);
static void (*const library[1])(void *, size_t, size_t, compare *) = {qsort};

static int order(const void *a, const void *b) {
    pthread_mutex_lock(&m);
    x += a != b;
    pthread_mutex_unlock(&m);
    return 0;
}

static compare *const job[1] = {order};

static int nothing(const void *a, const void *b) { return a == b; }

static void *worker(void *arg) {
    int two[2] = {1, 1};
    library[arg != 0](two, 2, sizeof *two, nothing);
#ifdef LIBRARY
    library[arg != 0](two, 2, sizeof *two, order);
#else
    job[arg != 0](&two[0], &two[1]);
#endif
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return x != 2;
}
