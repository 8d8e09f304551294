// A parallel file scanner after pfscan, which the paper on transition symmetry measures:
// main puts the names of files into a bounded queue, workers take them out and scan the
// files for a string, count those that match under one lock and print them under another;
// main waits until no worker is active. Files and string may be given as arguments; if they
// are not, some of the files beside this one are scanned. RACE: a worker looks at the number
// of matches without its lock. DEADLOCK: not all workers learn that there are no more files.
// leno[--symmetry off]: cflags="-DWORKERS=2 -DFILES=1" verdict=safe executions=624
// leno[--symmetry off --search dpor]: cflags="-DWORKERS=2 -DFILES=1" verdict=safe executions=624
// leno[--symmetry off]: cflags="-DWORKERS=2 -DFILES=2" verdict=safe executions=16320
// leno[--symmetry on]: cflags="-DWORKERS=2 -DFILES=1" verdict=safe
// leno[--symmetry on]: cflags="-DWORKERS=2 -DFILES=2 -DRACE" verdict=bug kind=race
// leno[--symmetry on]: cflags="-DWORKERS=2 -DFILES=1 -DDEADLOCK" verdict=bug kind=deadlock
// leno[--symmetry on]: cflags="-DWORKERS=2 -DFILES=2" verdict=safe
// What a worker is in the middle of in the C library is not known.
// leno[--explain-symmetry --symmetry off --max-executions 200]: cflags="-DWORKERS=2 -DFILES=2" symmetric~"T1 T2 at" apart~"has files open"
#define _GNU_SOURCE
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
static const char *string = "pthread_create";

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
#ifdef DEADLOCK
    pthread_cond_signal(&queue.more);
#else
    pthread_cond_broadcast(&queue.more);
#endif
    pthread_mutex_unlock(&queue.lock);
}

static int scan(const char *name)
{
    char text[4096];
    size_t kept = 0, wanted = strlen(string);
    ssize_t length;
    int found = 0, file = open(name, O_RDONLY);
    if (file < 0) {
        perror(name);
        return 0;
    }
    while (!found && (length = read(file, text + kept, sizeof text - kept)) > 0) {
        size_t there = kept + (size_t)length;
        found = memmem(text, there, string, wanted) != NULL;
        kept = there < wanted ? there : wanted - 1;
        memmove(text, text + there - kept, kept);
    }
    close(file);
    return found;
}

static void *work(void *unused)
{
    const char *name;
    while ((name = get()) != NULL) {
        if (!scan(name))
            continue;
#ifdef RACE
        if (matches > 100)
            continue;
#endif
        pthread_mutex_lock(&matches_lock);
        matches++;
        pthread_mutex_unlock(&matches_lock);
        pthread_mutex_lock(&print_lock);
        puts(name);
        printed++;
        pthread_mutex_unlock(&print_lock);
    }
    pthread_mutex_lock(&active_lock);
    if (--active == 0)
        pthread_cond_signal(&all_done);
    pthread_mutex_unlock(&active_lock);
    return unused;
}

int main(int argc, char **argv)
{
    static char paths[FILES][1024];
    const char *const beside[] = { "pfscan.c", "aget.c", "pool.c", "barrier.c" };
    for (int i = 0; i < FILES; i++) {
        const char *here = strrchr(__FILE__, '/');
        int folder = here ? (int)(here + 1 - __FILE__) : 0;
        snprintf(paths[i], sizeof paths[i], "%.*s%s", folder, __FILE__, beside[i]);
    }
    if (argc > 1)
        string = argv[1];
    for (int i = 0; i < WORKERS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_detach(thread);
    }
    for (int i = 0; argc > 2 ? i + 2 < argc : i < FILES; i++)
        put(argc > 2 ? argv[i + 2] : paths[i]);
    close_queue();
    pthread_mutex_lock(&active_lock);
    while (active > 0)
        pthread_cond_wait(&all_done, &active_lock);
    pthread_mutex_unlock(&active_lock);
    return argc > 1 || (matches == FILES && printed == FILES) ? 0 : 1;
}
