// A segmented downloader after aget, which the paper on transition symmetry measures: workers
// fetch a segment each from a file, block by block, through descriptors that they share, and
// count what they have under a lock. BUG: one counter is changed without it.
// leno[--symmetry off]: cflags="-DWORKERS=2 -DBLOCKS=1" verdict=safe
// leno[--symmetry on]: cflags="-DWORKERS=2 -DBLOCKS=1" verdict=safe
// leno[--symmetry on]: cflags="-DWORKERS=2 -DBLOCKS=1 -DBUG" verdict=bug kind=race
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
#define BLOCK 8

struct segment {
    long start, end;
};

static int from;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long written, calls;

static void *fetch(void *argument)
{
    struct segment *segment = argument;
    for (long at = segment->start; at < segment->end; at += BLOCK) {
        char block[BLOCK];
        ssize_t length = pread(from, block, BLOCK, at);
        pthread_mutex_lock(&lock);
        written += length;
        pthread_mutex_unlock(&lock);
#ifdef BUG
        calls++;
#endif
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    struct segment segments[WORKERS];
    from = open("/etc/passwd", O_RDONLY);
    for (int i = 0; i < WORKERS; i++) {
        segments[i].start = (long)i * BLOCKS * BLOCK;
        segments[i].end = segments[i].start + BLOCKS * BLOCK;
        pthread_create(&threads[i], NULL, fetch, &segments[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    close(from);
    assert(written == (long)WORKERS * BLOCKS * BLOCK);
    return 0;
}
