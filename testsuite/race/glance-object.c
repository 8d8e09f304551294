// The round of a loop that waits uses a lock whose memory somebody else overwrites once the loop
// is over: an object that nobody else uses meanwhile. ORDERED: that comes after the loop.
// leno: verdict=bug kind=race object=inner
// leno[--search naive]: verdict=bug kind=race object=inner
// leno[--record-all]: verdict=bug kind=race object=inner
// leno: cflags=-DORDERED verdict=safe
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#ifdef ORDERED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_relaxed
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over;

static void *waits(void *unused)
{
    while (pthread_mutex_trylock(&lock) != 0) {
        pthread_mutex_lock(&inner);
        pthread_mutex_unlock(&inner);
    }
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(&over, 1, ORDER);
    return unused;
}

static void *overwrites(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (atomic_load_explicit(&over, ORDER))
        memset(&inner, 0, sizeof inner);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, overwrites, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
