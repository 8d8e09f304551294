// Two threads add three times each. A bound of three rounds cuts nothing, whatever form
// the loop has; one of two lets each add twice: (2 + 2)! / (2! 2!) orders.
// leno[--symmetry off]: verdict=safe coverage=exhaustive executions=20 blocked=0
// leno[--symmetry off --unroll 3]: verdict=safe coverage=exhaustive executions=20 blocked=0
// leno[--symmetry off --unroll 3]: cflags="-DTESTED_LAST -O2" verdict=safe coverage=exhaustive executions=20 blocked=0
// leno[--symmetry off --unroll 2]: verdict=unknown coverage=bounded executions=0 blocked=6 notes~"counted.c:23 in add"
// leno[--symmetry off --unroll 2]: cflags=-DTESTED_LAST verdict=unknown coverage=bounded executions=0 blocked=6
// leno[--symmetry off --unroll 2]: cflags="-DTESTED_LAST -O2" verdict=unknown coverage=bounded executions=0 blocked=6
// leno[--symmetry off --unroll 2 --search source]: verdict=unknown coverage=bounded executions=0 blocked=6
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *add(void *unused)
{
    int i = 0;
#ifdef TESTED_LAST
    do {
        atomic_fetch_add(&sum, 1);
    } while (++i < 3);
#else
    while (i++ < 3) {
        atomic_fetch_add(&sum, 1);
    }
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
