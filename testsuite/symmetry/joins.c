// A creator has the handles of its threads. As long as they are for nothing but joining all
// of them one after the other, they tell nobody apart; it makes no difference where they are.
// leno[--explain-symmetry]: verdict=safe symmetric="T1 T2 at 38, T1 T2 at 0"
// leno[--explain-symmetry]: cflags="-DGLOBAL" verdict=safe symmetric="T1 T2 at 38, T1 T2 at 0"
// leno[--explain-symmetry]: cflags="-DHEAP" verdict=safe symmetric="T1 T2 at 38, T1 T2 at 0"
// leno[--explain-symmetry]: cflags="-DBACKWARDS" verdict=safe symmetric="T1 T2 at 38, T1 T2 at 0"
// Results that are the same, and what nobody else has to do with, make no difference.
// leno[--explain-symmetry]: cflags="-DRESULT" verdict=safe symmetric="T1 T2 at 38, T1 T2 at 0"
// leno[--explain-symmetry]: cflags="-DREADING" verdict=safe symmetric~"T1 T2 at 38"
// leno[--symmetry on]: cflags="-DREADING" verdict=safe executions=1
// They do if something happens between the joins, or the results are different. That is known
// when it has been seen, at the end of the first execution.
// leno[--explain-symmetry --search naive]: cflags="-DBETWEEN" verdict=safe apart~"T1 T2 at 38: referenced T1 and T2 are not joined together"
// leno[--explain-symmetry --search naive]: cflags="-DRESULT -DDIFFERENT" verdict=safe apart~"T1 T2 at 0: value the thread's result" apart~"T1 T2 at 38: referenced T1 and T2 are not joined together"
// leno[--explain-symmetry --search naive]: cflags="-DREADING -DWRITTEN" verdict=safe apart~"T1 T2 at 36: referenced T1 and T2 are not joined together"
// leno[--explain-symmetry --search naive]: cflags="-DFORGOTTEN" verdict=safe apart~"T1 T2 at 38: referenced T1 and T2 are not joined together"
// Or if a handle is used for something else.
// leno[--explain-symmetry --search naive]: cflags="-DNAMED" verdict=safe apart~"the handle of T1 is used for more than a join"
// leno[--explain-symmetry --search naive]: cflags="-DCOMPARED" verdict=safe apart~"the handle of T1 is used for more than a join"
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t global[2];

static struct {
    pthread_t *handles;
    int count;
    _Atomic int steps;
} all;

static void *worker(void *arg) {
#ifdef WRITTEN
    pthread_mutex_lock(&m), x++, all.steps = x, pthread_mutex_unlock(&m);
#else
    pthread_mutex_lock(&m), x += all.count, pthread_mutex_unlock(&m);
#endif
#ifdef DIFFERENT
    pthread_mutex_lock(&m), arg = (void *)(long)x, pthread_mutex_unlock(&m);
#endif
    return arg;
}

int main(void) {
#ifdef GLOBAL
    pthread_t *t = global;
#elif defined HEAP
    pthread_t *t = malloc(2 * sizeof *t);
#else
    pthread_t t[2];
#endif
    all.handles = t;
    all.count = 2;
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, 0);
#ifdef READING
    for (int i = 0; i < all.count; i++) {
#ifdef WRITTEN
        y = all.steps;
#endif
        pthread_join(all.handles[i], 0);
    }
#elif defined BACKWARDS
    for (int i = 2; i-- > 0;)
        pthread_join(t[i], 0);
#elif defined BETWEEN
    pthread_join(t[0], 0);
    pthread_mutex_lock(&m), y++, pthread_mutex_unlock(&m);
    pthread_join(t[1], 0);
#elif defined RESULT
    void *result;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], &result), y += result != 0;
#elif defined FORGOTTEN
    pthread_join(t[0], 0);
#elif defined NAMED
    char name[16];
    pthread_getname_np(t[0], name, sizeof name);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
#elif defined COMPARED
    y += pthread_equal(t[0], t[1]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
#else
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
#endif
    return y * 0 + (global[0] == 1);
}
