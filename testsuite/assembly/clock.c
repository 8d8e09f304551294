// The processor's counter is a clock like any other: the same in every run of a schedule.
// leno: verdict=safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int turns;

static uint64_t count(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static void *turn(void *unused)
{
    uint64_t start = count();
    /* A program that depends on it: what it does must not change from run to run. */
    for (uint64_t i = __builtin_ia32_rdtsc() % 7; i < 8; i++)
        atomic_fetch_add(&turns, 1);
    assert(count() > start && __builtin_readcyclecounter() > start);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, turn, NULL);
    pthread_create(&b, NULL, turn, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
