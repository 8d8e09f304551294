// A loop that writes in every round and never ends. The second round of the one and the
// second of the other give 4: a bug that a bound of one round hides and a bound of two
// shows.
// leno[--unroll 1]: verdict=unknown coverage=bounded executions=0 bugs=0
// leno[--unroll 2]: verdict=bug kind=assert
// leno[--unroll 2 --search source]: verdict=bug kind=assert
// leno[--unroll 2 --search dpor]: verdict=bug kind=assert
// leno[--unroll 2 --search naive]: verdict=bug kind=assert
// leno[--unroll 2 --isolate]: verdict=bug kind=assert
// leno[--unroll 2 --keep-going]: verdict=bug coverage=bounded bugs=1 kind=assert
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *add(void *unused)
{
    for (;;) {
        assert(atomic_fetch_add(&sum, 1) < 3);
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, add, NULL);
    add(NULL);
}
