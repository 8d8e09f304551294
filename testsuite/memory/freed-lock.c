// The memory of a lock is freed while somebody holds it. That is found where the lock is used
// again; and who looks for something else gets an answer too: the lock is gone for whoever waits
// for it, and the search knows.
// leno: verdict=bug kind=memory message="unlocks a mutex of a block of 40 bytes that has been freed" related~"freed it here, line 77"
// leno[--property lock]: verdict=bug kind=lock message="unlocks a mutex that nobody holds"
// leno[--property deadlock]: verdict=safe
// leno: cflags=-DWAITERS verdict=bug
// leno[--property memory]: cflags=-DWAITERS verdict=bug kind=memory message="locks a mutex of a block of 40 bytes that has been freed"
// leno[--property deadlock,assert]: cflags=-DWAITERS verdict=safe
// leno[--property deadlock,assert --search source]: cflags=-DWAITERS verdict=safe
// leno[--property deadlock,assert --isolate]: cflags=-DWAITERS verdict=safe
// leno[--property memory]: cflags="-DWAITERS -DREADERS" verdict=bug kind=memory message="locks a read-write lock of a block of 56 bytes that has been freed"
// leno[--property deadlock,assert]: cflags="-DWAITERS -DREADERS" verdict=safe
// leno[--property deadlock,assert --search source]: cflags="-DWAITERS -DREADERS" verdict=safe
// leno[--property memory]: cflags=-DELSEWHERE verdict=bug kind=memory
// leno[--property lock]: cflags=-DELSEWHERE verdict=bug kind=lock
// leno[--property deadlock,assert]: cflags=-DELSEWHERE verdict=safe
// leno[--property deadlock,assert --search source]: cflags=-DELSEWHERE verdict=safe
// leno[--property deadlock,assert]: cflags="-DELSEWHERE -DREADERS" verdict=safe
// leno[--property deadlock,assert --search dpor]: cflags="-DELSEWHERE -DREADERS" verdict=safe
// leno[--property lock]: cflags=-DUNTIL verdict=safe
// leno[--property memory]: cflags=-DUNTIL verdict=bug kind=memory
// leno[--property deadlock,assert]: cflags=-DUNTIL verdict=bug kind=deadlock
// leno: cflags=-DKEPT verdict=safe
#include <pthread.h>
#include <stdlib.h>

#ifdef READERS
typedef pthread_rwlock_t Lock;
#define initialise(lock) pthread_rwlock_init(lock, NULL)
#define lock(lock) pthread_rwlock_wrlock(lock)
#define unlock pthread_rwlock_unlock
#else
typedef pthread_mutex_t Lock;
#define initialise(lock) pthread_mutex_init(lock, NULL)
#define lock pthread_mutex_lock
#define unlock pthread_mutex_unlock
#endif

static Lock *guard;
static int uses;

static void *use(void *unused)
{
    lock(guard);
    uses++;
    unlock(guard);
#ifdef UNTIL
    lock(guard);
    free(guard);
#endif
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    guard = malloc(sizeof *guard);
    initialise(guard);
#if defined WAITERS || defined ELSEWHERE || defined UNTIL
#ifdef WAITERS
    lock(guard);
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
#ifdef UNTIL
    lock(guard);
    uses++;
    unlock(guard);
#else
    free(guard);
#endif
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
#else
    lock(guard);
    free(guard);
#ifndef KEPT
    unlock(guard);
#endif
#endif
    return 0;
}
