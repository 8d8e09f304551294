// Two threads put N elements each into a queue with a lock at either end, one takes.
// leno[--symmetry off]: cflags=-DN=1 verdict=safe executions=6 blocked=0
// leno[--symmetry off]: cflags=-DN=2 verdict=safe executions=90 blocked=0
// leno[--symmetry off --search source]: cflags=-DN=1 verdict=safe executions=6
// leno[--symmetry off --search source]: cflags=-DN=2 verdict=safe executions=90
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t back_lock = PTHREAD_MUTEX_INITIALIZER;
static int items[2 * N];
static atomic_int front, back;

static void *put(void *argument)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&back_lock);
        int place = atomic_load(&back);
        items[place] = (int)(long)argument;
        atomic_store(&back, place + 1);
        pthread_mutex_unlock(&back_lock);
    }
    return NULL;
}

static void *take(void *unused)
{
    for (int i = 0; i < N; i++) {
        int place = atomic_load(&front);
        if (place < atomic_load(&back)) {
            assert(items[place] != 0);
            atomic_store(&front, place + 1);
        }
    }
    return unused;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, put, (void *)1);
    pthread_create(&b, NULL, put, (void *)2);
    pthread_create(&c, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
