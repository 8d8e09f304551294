// Each thread takes a place of its own in a table and writes there, which nobody else ever
// does: no event, but it is what tells threads apart that are at the lock. So it is made an
// event, and the threads are interchangeable again. With MUCH there is too much of it.
// leno[--symmetry off]: verdict=safe executions=540
// leno[--symmetry on]: verdict=safe
// leno[--symmetry on]: cflags=-DMUCH=100 verdict=safe
// leno[--explain-symmetry]: verdict=safe apart~"table[0]: one of them has used it, and nobody else has until now"
#include <pthread.h>
#include <stdatomic.h>

#ifndef MUCH
#define MUCH 1
#endif

static long table[3 * MUCH];
static atomic_int next;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *unused)
{
    long *place = table + MUCH * atomic_fetch_add(&next, 1);
    for (int i = 0; i < MUCH; i++)
        place[i] = 1;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return count != 6;
}
