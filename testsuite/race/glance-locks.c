// What a round in vain has read it has read under a lock. Who writes once the loop is over has
// another lock, or both have it only for reading: a race. SAME: both have the one mutex.
// leno: cflags="" verdict=bug kind=race object=total
// leno[--search naive]: cflags="" verdict=bug kind=race object=total
// leno: cflags=-DREADERS verdict=bug kind=race object=total
// leno[--search source]: cflags=-DREADERS verdict=bug kind=race object=total
// leno: cflags=-DSAME verdict=safe
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over;
static int total;

#ifdef READERS
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
#define TAKE(number) pthread_rwlock_rdlock(&shared)
#define GIVE(number) pthread_rwlock_unlock(&shared)
#else
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
#ifdef SAME
#define WHICH(number) &locks[0]
#else
#define WHICH(number) &locks[number]
#endif
#define TAKE(number) pthread_mutex_lock(WHICH(number))
#define GIVE(number) pthread_mutex_unlock(WHICH(number))
#endif

static void *logger(void *unused)
{
    int seen = 0;
    while (pthread_mutex_trylock(&lock) != 0) {
        TAKE(0);
        seen = total;
        GIVE(0);
    }
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(&over, 1, memory_order_relaxed);
    return seen ? 0 : unused;
}

static void *owner(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (atomic_load_explicit(&over, memory_order_relaxed)) {
        TAKE(1);
        total = 0;
        GIVE(1);
    }
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
