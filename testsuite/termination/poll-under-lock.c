// Loops that look at something under a lock, and let go of it again, wait for a change of
// what they see. They end if somebody makes one; if nobody does, they hang.
// leno[--symmetry off]: cflags=-DMUTEX verdict=safe executions=2
// leno[--symmetry off]: cflags="-DMUTEX -O2" verdict=safe executions=2
// leno[--symmetry off --search source]: cflags=-DMUTEX verdict=safe executions=2
// leno: cflags=-DRWLOCK verdict=safe
// leno: cflags=-DSPIN verdict=safe
// leno: cflags=-DSEMAPHORE verdict=safe
// leno: cflags=-DTIMED verdict=safe
// leno: cflags="-DMUTEX -DNOBODY" verdict=bug kind=termination object=done
// leno: cflags="-DRWLOCK -DNOBODY" verdict=bug kind=termination object=done
// leno: cflags="-DTIMED -DNOBODY" verdict=bug kind=termination object=done
// leno: cflags="-DMUTEX -DEARLY" verdict=bug kind=race object=data
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static int done, data;

static void lock(void)
{
#if defined RWLOCK
    pthread_rwlock_rdlock(&rwlock);
#elif defined SPIN
    pthread_spin_lock(&spin);
#elif defined SEMAPHORE
    sem_wait(&sem);
#else
    pthread_mutex_lock(&mutex);
#endif
}

static void unlock(void)
{
#if defined RWLOCK
    pthread_rwlock_unlock(&rwlock);
#elif defined SPIN
    pthread_spin_unlock(&spin);
#elif defined SEMAPHORE
    sem_post(&sem);
#else
    pthread_mutex_unlock(&mutex);
#endif
}

static void *poll(void *unused)
{
#ifdef TIMED
    const struct timespec until = {1, 0};
    lock();
    while (!done)
        pthread_cond_timedwait(&cond, &mutex, &until);
    unlock();
#else
    for (;;) {
        lock();
        int seen = done;
        unlock();
        if (seen)
            break;
        usleep(10);
    }
#endif
    return data ? unused : NULL;
}

static void *set(void *unused)
{
#ifdef RWLOCK
    pthread_rwlock_wrlock(&rwlock);
#else
    lock();
#endif
#ifndef NOBODY
    done = 1;
#ifndef EARLY
    data = 1;
#endif
#endif
    unlock();
#ifdef EARLY
    data = 1;
#endif
    return unused;
}

int main(void)
{
    pthread_t first, second, third;
    pthread_spin_init(&spin, 0);
    sem_init(&sem, 0, 1);
    pthread_create(&first, NULL, poll, NULL);
    pthread_create(&second, NULL, poll, NULL);
    pthread_create(&third, NULL, set, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(third, NULL);
    return 0;
}
