// main returns while workers still run: all that they do is seen.
// leno: verdict=safe
// leno[--symmetry off]: verdict=safe executions=2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *unused)
{
    atomic_fetch_add(&x, 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    return 0;
}
