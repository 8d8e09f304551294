// The database, corrected: nobody holds the mutex while waiting, and the turn is no lock
// but a count under the mutex with a condition to wait for. It comes with a check that the
// two classes are never inside together.
//
// leno: verdict=safe coverage=exhaustive
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { READING, WRITING };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static int inside[2];

static void enter(int class)
{
    pthread_mutex_lock(&mutex);
    while (inside[!class] > 0)
        pthread_cond_wait(&emptied, &mutex);
    inside[class]++;
    pthread_mutex_unlock(&mutex);
}

static void leave(int class)
{
    pthread_mutex_lock(&mutex);
    assert(inside[!class] == 0);
    if (--inside[class] == 0)
        pthread_cond_broadcast(&emptied);
    pthread_mutex_unlock(&mutex);
}

static void *reader(void *unused)
{
    enter(READING);
    /* … read … */
    leave(READING);
    return unused;
}

static void *writer(void *unused)
{
    enter(WRITING);
    /* … write … */
    leave(WRITING);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    puts("all operations are done");
    return 0;
}
