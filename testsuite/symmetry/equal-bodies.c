// Threads of different functions are interchangeable if these do the same, whatever their
// variables are called; and they are not if one constant is another.
// leno[--explain-symmetry]: verdict=safe symmetric="T1 T2 at 24 and 49, T1 T2 at 0"
// leno[--explain-symmetry]: cflags="-DOTHER" verdict=safe symmetric="T1 T2 at 0" apart~"T1 T2 at 24 and 46: code what they still do is not the same"
// Nor if one has a variable that the other has not.
// leno[--explain-symmetry]: cflags="-DVARIABLES" verdict=safe symmetric="T1 T2 at 0" apart~"the functions have different variables"
// Nor if they have the same ones at different places.
// leno[--explain-symmetry]: cflags="-DPLACES" verdict=safe apart~"T1 T2 at 21 and 38: code what they still need is not the same"
// Nor if one calls the other.
// leno[--explain-symmetry]: cflags="-DDEEPER" verdict=safe symmetric="T1 T2 at 0" apart~"their stacks are 1 and 2 calls deep"
#include <pthread.h>

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *producer(void *arg) {
#ifdef PLACES
    int first = 1, second = 2;
    second += first;
    first = second;
    pthread_mutex_lock(&m);
    x += second, pthread_mutex_unlock(&m);
#endif
    pthread_mutex_lock(&m);
    for (int i = 0; i < 2; i++) x++;
    pthread_mutex_unlock(&m);
    return arg;
}

#ifdef DEEPER
static void *consumer(void *unused) { return producer(unused); }
#else
static void *consumer(void *unused) {
#ifdef PLACES
    int second = 2, first = 1;
    second += first;
    first = second;
    pthread_mutex_lock(&m);
    x += second, pthread_mutex_unlock(&m);
#endif
#ifdef VARIABLES
    int more;
    (void)more;
#endif
#ifdef OTHER
    pthread_mutex_lock(&m);
    for (int n = 0; n < 3; n++) x++;
#else
    pthread_mutex_lock(&m);
    for (int n = 0; n < 2; n++) x++;
#endif
    pthread_mutex_unlock(&m);
    return unused;
}
#endif

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
