// A parallel file scanner after pfscan, which the paper on transition symmetry measures:
// main puts the names of files into a bounded queue, workers take them out, scan the files
// for a string, count matches under one lock and print them under another; main waits until
// no worker is active. BUG: a worker looks at the number of matches without its lock.
// leno[--symmetry off]: cflags="-DWORKERS=2 -DFILES=1" verdict=safe
// leno[--symmetry on]: cflags="-DWORKERS=2 -DFILES=1" verdict=safe
// leno[--symmetry on]: cflags="-DWORKERS=2 -DFILES=2 -DBUG" verdict=bug kind=race
// Files that a worker has closed do not tell it apart; what it is in the middle of in the C
// library is not known.
// leno[--explain-symmetry --max-executions 200]: cflags="-DWORKERS=2 -DFILES=2" symmetric~"T1 T2 at" apart~"is in the middle of open"
// leno[--symmetry on]: cflags="-DWORKERS=2 -DFILES=2" verdict=safe executions=3288
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef FILES
#define FILES 2
#endif
#define SIZE 1

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more, less;
    const char *name[SIZE];
    int first, count, closed;
} queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };

static pthread_mutex_t matches_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t print_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t active_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static int matches, printed, active = WORKERS;

static void put(const char *name)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.count == SIZE)
        pthread_cond_wait(&queue.less, &queue.lock);
    queue.name[(queue.first + queue.count++) % SIZE] = name;
    pthread_cond_signal(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}

static const char *get(void)
{
    const char *name = NULL;
    pthread_mutex_lock(&queue.lock);
    while (queue.count == 0 && !queue.closed)
        pthread_cond_wait(&queue.more, &queue.lock);
    if (queue.count > 0) {
        name = queue.name[queue.first];
        queue.first = (queue.first + 1) % SIZE;
        queue.count--;
        pthread_cond_signal(&queue.less);
    }
    pthread_mutex_unlock(&queue.lock);
    return name;
}

static void close_queue(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}

static int scan(const char *name)
{
    char text[256];
    int file = open(name, O_RDONLY), found = 0;
    if (file < 0)
        return 0;
    ssize_t length = read(file, text, sizeof text);
    close(file);
    for (ssize_t i = 0; i + 4 <= length; i++)
        found += memcmp(text + i, "root", 4) == 0;
    return found > 0;
}

static void *work(void *unused)
{
    const char *name;
    while ((name = get()) != NULL) {
        if (!scan(name))
            continue;
#ifdef BUG
        if (matches >= FILES)
            continue;
#endif
        pthread_mutex_lock(&matches_lock);
        matches++;
        pthread_mutex_unlock(&matches_lock);
        pthread_mutex_lock(&print_lock);
        printed++;
        pthread_mutex_unlock(&print_lock);
    }
    pthread_mutex_lock(&active_lock);
    if (--active == 0)
        pthread_cond_signal(&all_done);
    pthread_mutex_unlock(&active_lock);
    return unused;
}

int main(void)
{
    for (int i = 0; i < WORKERS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_detach(thread);
    }
    for (int i = 0; i < FILES; i++)
        put("/etc/passwd");
    close_queue();
    pthread_mutex_lock(&active_lock);
    while (active > 0)
        pthread_cond_wait(&all_done, &active_lock);
    pthread_mutex_unlock(&active_lock);
    return matches == FILES && printed == FILES ? 0 : 1;
}
