// What is read in vain between attempts with a timeout. ORDERED: written after the loop.
// (--record-all: waits write.)
// leno: verdict=bug kind=race object=total
// leno[--search naive]: verdict=bug kind=race object=total
// leno: cflags=-DORDERED verdict=safe
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#ifdef ORDERED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_relaxed
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over;
static int total;

static int try(void)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec++;
    return pthread_mutex_timedlock(&lock, &deadline);
}

static void *waits(void *unused)
{
    int seen = 0;
    while (try() != 0)
        seen = total;
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(&over, 1, ORDER);
    return seen ? 0 : unused;
}

static void *writes(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (atomic_load_explicit(&over, ORDER))
        total = 1;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, writes, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
