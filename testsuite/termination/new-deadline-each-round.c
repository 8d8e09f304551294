// A loop that computes a new deadline in each round is in the same state in each; so it
// waits, and hangs if nobody does what it waits for. A loop that gives up when its time is
// over does not, wherever it keeps that time; and what it does then is found.
// (--record-all: waits write.)
// leno: cflags=-DCOND verdict=safe
// leno: cflags="-DCOND -O2" verdict=safe
// leno: cflags=-DCOND_TIMEVAL verdict=safe
// leno: cflags=-DMUTEX verdict=safe
// leno: cflags=-DSEMAPHORE verdict=safe
// leno: cflags="-DCOND -DNOBODY" verdict=bug kind=termination
// leno: cflags="-DSEMAPHORE -DNOBODY" verdict=bug kind=termination
// leno: cflags=-DUNTIL_LOCAL verdict=bug kind=assert message~late
// leno: cflags=-DUNTIL_GLOBAL verdict=bug kind=assert message~late
// leno: cflags="-DUNTIL_GLOBAL -O2" verdict=bug kind=assert message~late
// leno: cflags="-DUNTIL_GLOBAL -DNOBODY -DGIVES_UP" verdict=safe
// leno: cflags="-DUNTIL_LOCAL -DNOBODY -DGIVES_UP" verdict=safe
// leno: cflags="-DSLEEPS -DNOBODY -DGIVES_UP" verdict=safe
// leno: cflags=-DSLEEPS verdict=bug kind=assert message~late
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int done;
static atomic_int flag;
static time_t limit;

static void *wait(void *unused)
{
    int late = 0;
    struct timespec until;
#if defined COND || defined COND_TIMEVAL
    pthread_mutex_lock(&mutex);
    while (!done) {
#ifdef COND
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 10000000;
#else
        struct timeval now;
        gettimeofday(&now, NULL);
        until.tv_sec = now.tv_sec + 1;
        until.tv_nsec = now.tv_usec * 1000;
#endif
        pthread_cond_timedwait(&cond, &mutex, &until);
    }
    pthread_mutex_unlock(&mutex);
#elif defined MUTEX
    for (int seen = 0; !seen;) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 2;
        if (pthread_mutex_timedlock(&mutex, &until) != 0)
            continue;
        seen = done;
        pthread_mutex_unlock(&mutex);
    }
#elif defined SEMAPHORE
    do {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
    } while (sem_timedwait(&sem, &until) != 0 && errno == ETIMEDOUT);
#elif defined UNTIL_LOCAL
    clock_gettime(CLOCK_MONOTONIC, &until);
    time_t own = until.tv_sec + 2;
    while (!atomic_load(&flag) && !late) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        late = until.tv_sec >= own;
    }
#elif defined UNTIL_GLOBAL
    limit = time(NULL) + 60;
    while (!atomic_load(&flag) && !late)
        late = time(NULL) >= limit;
#elif defined SLEEPS
    time_t start = time(NULL);
    while (!atomic_load(&flag) && !late) {
        usleep(100);
        late = time(NULL) - start > 3;
    }
#endif
#ifndef GIVES_UP
    assert(!late);
#endif
    (void)until;
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&sem, 0, 0);
    pthread_create(&thread, NULL, wait, NULL);
#ifndef NOBODY
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    sem_post(&sem);
    atomic_store(&flag, 1);
#endif
    pthread_join(thread, NULL);
    return 0;
}
