// Only the call that runs the routine orders what comes behind the others: two threads
// that find it done are not ordered by that.
// leno: verdict=bug kind=race object=x
// leno: cflags="-DORDERED" verdict=safe
#include <stdatomic.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static atomic_int flag;
static int x;

#ifdef ORDERED
#define PUBLISH memory_order_release
#define LOOK memory_order_acquire
#else
#define PUBLISH memory_order_relaxed
#define LOOK memory_order_relaxed
#endif

static void routine(void) {}

static int writer(void *unused)
{
    x = 1;
    call_once(&once, routine);
    atomic_store_explicit(&flag, 1, PUBLISH);
    return 0;
}

static int reader(void *unused)
{
    if (!atomic_load_explicit(&flag, LOOK))
        return 0;
    call_once(&once, routine);
    return x;
}

int main(void)
{
    thrd_t a, b;
    call_once(&once, routine);
    thrd_create(&a, writer, 0);
    thrd_create(&b, reader, 0);
    thrd_join(a, 0);
    thrd_join(b, 0);
    return 0;
}
