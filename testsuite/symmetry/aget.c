// A segmented downloader after aget, which the paper on transition symmetry measures: workers
// fetch segments of a file through a descriptor that they share, block by block, and count
// what they have under a lock; the file is this one. As in aget each worker is told its
// segment when it is created, so its offset tells it apart as long as it needs it. CLAIM:
// a worker takes the next segment itself, and says when it is done; then what tells workers
// apart is over when they have read. RACE: a counter is changed without the lock.
// leno[--symmetry off]: cflags="-DWORKERS=2 -DBLOCKS=1" verdict=safe executions=2
// leno[--symmetry on]: cflags="-DWORKERS=2 -DBLOCKS=1" verdict=safe
// leno[--symmetry on]: cflags="-DWORKERS=2 -DBLOCKS=1 -DRACE" verdict=bug kind=race
// leno[--symmetry off]: cflags="-DWORKERS=3 -DBLOCKS=2" verdict=safe executions=90
// leno[--symmetry on]: cflags="-DWORKERS=3 -DBLOCKS=2" verdict=safe
// leno[--symmetry off]: cflags="-DWORKERS=3 -DBLOCKS=1 -DCLAIM" verdict=safe executions=1680
// leno[--symmetry on]: cflags="-DWORKERS=3 -DBLOCKS=1 -DCLAIM" verdict=safe
// leno[--symmetry on]: cflags="-DWORKERS=2 -DBLOCKS=1 -DCLAIM -DRACE" verdict=bug kind=race
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
#define BLOCK 64
#define SEGMENT (BLOCKS * BLOCK)

static int from;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char fetched[WORKERS * SEGMENT];
static long written;
#ifdef RACE
static long calls;
#endif
#ifdef CLAIM
static long next, done;
#endif

static void *fetch(void *argument)
{
#ifdef CLAIM
    (void)argument;
    pthread_mutex_lock(&lock);
    long start = next++ * SEGMENT;
    pthread_mutex_unlock(&lock);
#else
    long start = *(long *)argument;
#endif
    for (long at = start; at < start + SEGMENT; at += BLOCK) {
        ssize_t length = pread(from, fetched + at, BLOCK, at);
        pthread_mutex_lock(&lock);
        written += length;
        pthread_mutex_unlock(&lock);
#ifdef RACE
        calls++;
#endif
    }
#ifdef CLAIM
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    long start[WORKERS];
    from = open(__FILE__, O_RDONLY);
    if (from < 0) {
        perror(__FILE__);
        return 1;
    }
    for (int i = 0; i < WORKERS; i++) {
        start[i] = (long)i * SEGMENT;
        pthread_create(&threads[i], NULL, fetch, &start[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    char whole[sizeof fetched];
    assert(pread(from, whole, sizeof whole, 0) == sizeof whole);
    assert(written == sizeof whole && memcmp(whole, fetched, sizeof whole) == 0);
    close(from);
    return 0;
}
