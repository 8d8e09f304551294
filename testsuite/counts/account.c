// N customers move money between two accounts under one lock, one looks at the sum.
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=24 blocked=0
// leno[--symmetry off --search source]: cflags=-DN=3 verdict=safe executions=24
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int here = 100, there;

static void *move(void *argument)
{
    int amount = (int)(long)argument;
    pthread_mutex_lock(&lock);
    if (here >= amount) {
        here -= amount;
        there += amount;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(here + there == 100);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[N + 1];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, move, (void *)(40 + i));
    pthread_create(&threads[N], NULL, look, NULL);
    for (int i = 0; i < N + 1; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
