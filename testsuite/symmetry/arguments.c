// Different arguments tell threads apart as long as they are needed, and no longer.
// leno[--explain-symmetry]: verdict=safe symmetric="T1 T2 at 16, T1 T2 at 0" apart~"T1 T2 at 12: value"
// leno[--explain-symmetry]: cflags="-DLIVE" verdict=safe symmetric="T1 T2 at 0" apart~"T1 T2 at 16: value id in worker"
#include <pthread.h>

static int x, slots[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    long id = (long)arg;
    // Its own place: no event, once; and then an event, since main looks at it.
    slots[id] = 1;
#ifdef LIVE
    long other = 0;
#endif
    pthread_mutex_lock(&m), x++, pthread_mutex_unlock(&m);
#ifdef LIVE
    other = id;
    pthread_mutex_lock(&m), x += slots[other], pthread_mutex_unlock(&m);
#endif
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return slots[0] + slots[1] - 2;
}
