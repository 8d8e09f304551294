// A weak compare-exchange may fail although it finds what it expects. Who does not try
// again has a bug that only shows if that is tried; in a loop there are as many failures
// as each thread may have, and the strong one never fails.
// leno: verdict=safe executions=1
// leno[--weak-failures 1]: verdict=bug kind=assert
// leno[--weak-failures 1 --search source]: verdict=bug kind=assert
// leno[--weak-failures 1 --search dpor]: verdict=bug kind=assert
// leno[--weak-failures 1 --search naive]: verdict=bug kind=assert
// leno[--weak-failures 1 --isolate]: verdict=bug kind=assert
// leno[--weak-failures 1]: cflags=-DSTRONG verdict=safe executions=1
// leno[--weak-failures 2]: cflags=-DLOOP verdict=safe executions=3 blocked=0
// leno[--weak-failures 2 --search source]: cflags=-DLOOP verdict=safe executions=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *set(void *unused)
{
    int none = 0;
#if defined LOOP
    while (!atomic_compare_exchange_weak(&x, &none, 1))
        none = 0;
#elif defined STRONG
    atomic_compare_exchange_strong(&x, &none, 1);
#else
    atomic_compare_exchange_weak(&x, &none, 1);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    pthread_join(thread, NULL);
    assert(atomic_load(&x) == 1);
    return 0;
}
