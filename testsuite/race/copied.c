// A copy reads all of its source and writes all of its target: by memcpy, by memmove and
// by assignment of a structure.
// leno: cflags=-DMEMCPY verdict=bug kind=race object~shared
// leno: cflags=-DMEMMOVE verdict=bug kind=race object~shared
// leno: cflags=-DASSIGN verdict=bug kind=race object~shared
// leno: cflags="-DMEMCPY -O2" verdict=bug kind=race object~shared
// leno: cflags="-DASSIGN -O2" verdict=bug kind=race object~shared
// leno: cflags="-DMEMCPY -DLOCKED" verdict=safe executions=2
// leno: cflags="-DASSIGN -DLOCKED -O2" verdict=safe executions=2
// leno: cflags="-DMEMCPY -DBEHIND" verdict=safe executions=1
// leno: cflags="-DASSIGN -DBEHIND -O2" verdict=safe executions=1
#include <pthread.h>
#include <string.h>

struct record {
    long numbers[4];
    char name[20];
};

static struct record shared[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
}

static void unlock(void)
{
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
}

static void *change(void *unused)
{
    lock();
#ifdef BEHIND
    shared[1].numbers[0] = 1;
#else
    shared[0].name[19] = 1;
#endif
    unlock();
    return unused;
}

int main(void)
{
    static struct record own;
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    lock();
#if defined MEMCPY
    memcpy(&own, &shared[0], sizeof own);
#elif defined MEMMOVE
    memmove(&own, &shared[0], sizeof own);
#else
    own = shared[0];
#endif
    unlock();
    pthread_join(thread, NULL);
    return own.name[0];
}
