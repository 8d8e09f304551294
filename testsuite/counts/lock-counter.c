// N threads lock, count and unlock: the order of the critical sections is all that matters.
// leno[--symmetry off]: cflags=-DN=2 verdict=safe executions=2
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=6
// leno[--symmetry off]: cflags=-DN=4 verdict=safe executions=24
// leno[--symmetry off]: cflags=-DN=5 verdict=safe executions=120
// leno[--symmetry off]: cflags=-DN=6 verdict=safe executions=720 threads=7
// leno[--symmetry off]: cflags=-DN=7 verdict=safe executions=5040 blocked=0
// leno[--symmetry off]: cflags=-DN=8 verdict=safe executions=40320 blocked=0
// leno[--search naive]: cflags=-DN=2 verdict=safe
// leno[--symmetry on]: cflags=-DN=2 verdict=safe executions=1 blocked=0
// leno[--symmetry on]: cflags=-DN=3 verdict=safe executions=1 blocked=0
// leno[--symmetry on]: cflags=-DN=4 verdict=safe executions=1 blocked=0
// leno[--symmetry on]: cflags=-DN=5 verdict=safe executions=1 blocked=0
// leno[--symmetry on]: cflags=-DN=6 verdict=safe executions=1 blocked=0
// leno[--symmetry on]: cflags=-DN=7 verdict=safe executions=1 blocked=0
// leno[--symmetry on]: cflags=-DN=8 verdict=safe executions=1 blocked=0
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(counter == N);
    return 0;
}
