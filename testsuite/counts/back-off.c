// Philosophers that put the first fork back if they do not get the second: rounds that keep
// each other going, and come to an end all the same. KIND says what a fork is. WRONG: they
// believe that nobody ever has to put one back.
// leno: cflags="-DN=2 -O1" verdict=safe
// leno[--symmetry off]: cflags="-DN=2 -O1" verdict=safe executions=4 blocked=11
// leno[--symmetry off --search source]: cflags="-DN=2 -O1" verdict=safe executions=4 blocked=11
// leno[--symmetry off]: cflags="-DN=3 -O1" verdict=safe
// leno[--symmetry off]: cflags="-DN=2" verdict=safe executions=4 blocked=11
// leno: cflags="-DN=2 -DKIND=1" verdict=safe
// leno: cflags="-DN=2 -DKIND=2" verdict=safe
// leno: cflags="-DN=2 -DKIND=3" verdict=safe
// leno: cflags="-DN=2 -DKIND=4" verdict=safe
// leno: cflags="-DN=2 -DKIND=5" verdict=safe
// leno: cflags="-DN=2 -DWRONG" verdict=bug kind=assert
// leno: cflags="-DN=3 -DWRONG -DKIND=2" verdict=bug kind=assert
// Nobody puts anything back.
// leno: cflags="-DN=2 -DGREEDY" verdict=bug kind=deadlock
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#ifndef KIND
#define KIND 0
#endif

#if KIND == 1
typedef pthread_rwlock_t fork_t;
#define MAKE(fork) pthread_rwlock_init(fork, 0)
#define TAKE(fork) pthread_rwlock_wrlock(fork)
#define TRY(fork) pthread_rwlock_trywrlock(fork)
#define PUT(fork) pthread_rwlock_unlock(fork)
#elif KIND == 2
typedef sem_t fork_t;
#define MAKE(fork) sem_init(fork, 0, 1)
#define TAKE(fork) sem_wait(fork)
#define TRY(fork) sem_trywait(fork)
#define PUT(fork) sem_post(fork)
#elif KIND == 3
typedef pthread_spinlock_t fork_t;
#define MAKE(fork) pthread_spin_init(fork, 0)
#define TAKE(fork) pthread_spin_lock(fork)
#define TRY(fork) pthread_spin_trylock(fork)
#define PUT(fork) pthread_spin_unlock(fork)
#else
typedef pthread_mutex_t fork_t;
#define MAKE(fork) pthread_mutex_init(fork, 0)
#define TAKE(fork) pthread_mutex_lock(fork)
#define PUT(fork) pthread_mutex_unlock(fork)
#if KIND == 4
static int try(fork_t *fork)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec++;
    return pthread_mutex_timedlock(fork, &deadline);
}
#define TRY(fork) try(fork)
#else
#define TRY(fork) pthread_mutex_trylock(fork)
#endif
#endif

static fork_t forks[N];
static int taken[N];

static void *philosopher(void *argument)
{
    long seat = (long)argument;
    fork_t *left = &forks[seat], *right = &forks[(seat + 1) % N];
    int failed = 0;
    for (;;) {
        TAKE(left);
#ifdef GREEDY
        TAKE(right);
        break;
#endif
        if (TRY(right) == 0)
            break;
        failed = 1;
        PUT(left);
#if KIND == 5
        sched_yield();
#endif
    }
#ifdef WRONG
    assert(!failed);
#endif
    taken[seat]++;
    taken[(seat + 1) % N]++;
    PUT(right);
    PUT(left);
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        MAKE(&forks[i]);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
