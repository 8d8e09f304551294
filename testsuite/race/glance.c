// A round of a loop that waits reads what somebody else writes only once the loop is over:
// if the first attempt succeeds there is no read, and if it fails, the thread must go on.
// AFTER: the write waits for the lock, so it is ordered. FIRST: the loop begins with the read.
// CHOSEN: the program chooses how often it looks, and waits for nothing.
// leno: cflags="" verdict=bug kind=race object=total
// leno: cflags="-O2" verdict=bug kind=race object=total
// leno[--symmetry off --search source]: cflags="" verdict=bug kind=race object=total
// leno[--search naive]: cflags="" verdict=bug kind=race object=total
// leno: cflags="-DFIRST" verdict=bug kind=race object=total
// leno: cflags="-DCHOSEN" verdict=bug kind=race object=total
// leno: cflags="-DAFTER" verdict=safe
#include <pthread.h>
#include <stdatomic.h>
#include <leno.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over;
static int total;

static int again(void)
{
#ifdef CHOSEN
    return leno_choose(2);
#else
    return pthread_mutex_trylock(&lock) != 0;
#endif
}

static void *logger(void *unused)
{
    int seen = 0;
#ifdef FIRST
    do
        seen = total;
    while (again());
#else
    while (again())
        seen = total;
#endif
#ifndef CHOSEN
    pthread_mutex_unlock(&lock);
#endif
    atomic_store_explicit(&over, 1, memory_order_relaxed);
    return seen ? 0 : unused;
}

static void *owner(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#ifdef AFTER
    pthread_mutex_lock(&lock);
    if (atomic_load(&over))
        total = 0;
    pthread_mutex_unlock(&lock);
#else
    if (atomic_load_explicit(&over, memory_order_relaxed))
        total = 0;
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, logger, 0);
    pthread_create(&b, 0, owner, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
