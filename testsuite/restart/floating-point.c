// Rounding mode, masks and sticky flags are those of a new process at each start, and a new
// thread has those of its creator.
// leno[--symmetry off]: cflags="-Wl,--no-as-needed -lm" verdict=safe executions=2
// leno[--symmetry off]: cflags="-Wl,--no-as-needed -lm -DEARLY" verdict=safe executions=2
#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <xmmintrin.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(fegetround() == FE_UPWARD);
    fesetround(FE_DOWNWARD);
    pthread_mutex_unlock(&lock);
    return unused;
}

#ifdef EARLY
// As the constructor does that -ffast-math links in: what is denormal is zero.
__attribute__((constructor)) static void prepare(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8040);
}
enum { CONTROL = 0x9fc0 };
#else
enum { CONTROL = 0x1f80 };
#endif

int main(void)
{
    assert(fegetround() == FE_TONEAREST && _mm_getcsr() == CONTROL);
    assert(!fetestexcept(FE_ALL_EXCEPT));
    volatile double third = 1;
    third /= 3;
    assert(fetestexcept(FE_INEXACT));
    fesetround(FE_UPWARD);
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
