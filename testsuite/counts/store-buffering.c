// Dekker's handshake: of the four outcomes sequential consistency allows three.
// leno[--symmetry off]: verdict=safe executions=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int seen_x, seen_y;

static void *left(void *unused)
{
    atomic_store(&x, 1);
    seen_y = atomic_load(&y);
    return unused;
}

static void *right(void *unused)
{
    atomic_store(&y, 1);
    seen_x = atomic_load(&x);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(seen_x || seen_y);
}
