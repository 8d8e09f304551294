// A database with two classes of operations. Operations of one class may run together;
// the two classes must keep out of each other's way. The first of a class to come in takes
// the turn for its class, the last to go gives it back.
//
// leno: verdict=bug kind=deadlock accesses=3
#include <pthread.h>
#include <stdio.h>

enum { READING, WRITING };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the counts */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;  /* held by the class that is in */
static int inside[2];

static void enter(int class)
{
    pthread_mutex_lock(&mutex);
    if (++inside[class] == 1)
        pthread_mutex_lock(&turn);
    pthread_mutex_unlock(&mutex);
}

static void leave(int class)
{
    pthread_mutex_lock(&mutex);
    if (--inside[class] == 0)
        pthread_mutex_unlock(&turn);
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
