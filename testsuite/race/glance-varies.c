// A loop that waits begins with a read that is not the same in each round: of a string, which is
// cut short under the lock, or by a compare-exchange that puts back what it found, and fails in
// the last round. What only the rounds before have touched is touched by somebody else once the
// loop is over. ORDERED: after it.
// leno: verdict=bug kind=race object=text[10]
// leno[--search source]: verdict=bug kind=race object=text[10]
// leno: cflags=-DORDERED verdict=safe
// leno: cflags=-DKEEPS verdict=bug kind=race object=word
// leno[--search source]: cflags=-DKEEPS verdict=bug kind=race object=word
// leno: cflags="-DKEEPS -DORDERED" verdict=safe
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#ifdef ORDERED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_relaxed
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[16] = "012345678901";
static int word;
static atomic_int over, cut;

static int is_long(void)
{
#ifdef KEEPS
    int expected = 0;
    return __atomic_compare_exchange_n(&word, &expected, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#else
    pthread_mutex_lock(&lock);
    size_t length = strlen(text);
    pthread_mutex_unlock(&lock);
    return length > 8;
#endif
}

static void *waits(void *unused)
{
    while (is_long()) {
    }
    atomic_store_explicit(&over, 1, ORDER);
    return unused;
}

static void *cuts(void *unused)
{
#ifdef KEEPS
    __atomic_store_n(&word, 1, __ATOMIC_RELAXED);
#else
    pthread_mutex_lock(&lock);
    text[3] = 0;
    pthread_mutex_unlock(&lock);
#endif
#ifdef KEEPS
    atomic_store(&cut, 1);
#endif
    return unused;
}

static void *touches(void *unused)
{
#ifdef KEEPS
    if (atomic_load(&cut) && atomic_load_explicit(&over, ORDER))
        return word ? unused : 0;
#else
    if (atomic_load_explicit(&over, ORDER))
        text[10] = 'x';
#endif
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, waits, 0);
    pthread_create(&threads[1], 0, cuts, 0);
    pthread_create(&threads[2], 0, touches, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
