// The round of a loop that waits writes to a variable on the thread's own stack, which leaves
// the thread where it was: it had that value. Somebody else reads the variable once the loop is
// over. ORDERED: after it; what is shared, though, the loop does not write in vain, and it may
// go round as often as it likes.
// leno[--unroll 2]: verdict=bug kind=race object=scratch
// leno: verdict=bug kind=race object=scratch
// leno[--search naive]: verdict=bug kind=race object=scratch
// leno[--record-all]: verdict=bug kind=race object=scratch
// leno[--unroll 2]: cflags=-DORDERED verdict=unknown
#include <pthread.h>
#include <stdatomic.h>

#ifdef ORDERED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_relaxed
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over, done;
static int *_Atomic place;

static void set(int *to)
{
    *to = 0;
}

static void *waits(void *unused)
{
    int scratch;
    atomic_store(&place, &scratch);
    while (pthread_mutex_trylock(&lock) != 0)
        set(&scratch);
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(&over, 1, ORDER);
    while (!atomic_load(&done)) {
    }
    return unused;
}

static void *reads(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    int seen = 0;
    if (atomic_load_explicit(&over, ORDER))
        seen = *atomic_load(&place);
    atomic_store(&done, 1);
    return seen ? unused : 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, reads, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
