// Without a lock prefix, an increment is a load and a store. It is no data race: assembly is
// not what C11 speaks of.
// leno: verdict=bug kind=assert
// leno[--symmetry off]: cflags=-DLOCK verdict=safe executions=2
#include <assert.h>
#include <pthread.h>

#ifdef LOCK
#define PREFIX "lock;"
#else
#define PREFIX
#endif

static int counter;

static void *count(void *unused)
{
    __asm__ volatile(PREFIX "incl %0" : "+m"(counter) : : "cc");
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
