// A timeout does not fire before its time, a sleep is not shorter than it should be, and
// who joins a thread is not earlier than it; a time that is none is refused.
// leno: cflags=-DEARLY=0 verdict=safe
// leno: cflags=-DEARLY=1 verdict=bug kind=assert
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;

static void *work(void *end)
{
    struct timespec start, until, now, odd = {0, 1000000000}, moment = {0, 5000};
    clock_gettime(CLOCK_REALTIME, &start);
    until = start;
    until.tv_sec += 100;
    pthread_mutex_lock(&mutex);
    assert(pthread_cond_timedwait(&cond, &mutex, &odd) == EINVAL);
    assert(pthread_cond_timedwait(&cond, &mutex, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    clock_gettime(CLOCK_REALTIME, &now);
    assert((now.tv_sec >= until.tv_sec) != EARLY);
    assert(sem_timedwait(&sem, &odd) == -1 && errno == EINVAL);
    until.tv_sec += 100;
    assert(sem_timedwait(&sem, &until) == -1 && errno == ETIMEDOUT);
    assert(time(NULL) >= until.tv_sec);
    start.tv_sec = time(NULL);
    nanosleep(&moment, NULL);
    assert(nanosleep(&odd, NULL) == -1 && errno == EINVAL);
    assert(time(NULL) > start.tv_sec);
    sleep(7);
    *(time_t *)end = time(NULL);
    assert(*(time_t *)end >= start.tv_sec + 7);
    return NULL;
}

int main(void)
{
    time_t end;
    pthread_t thread;
    sem_init(&sem, 0, 0);
    pthread_create(&thread, NULL, work, &end);
    pthread_join(thread, NULL);
    assert(time(NULL) >= end);
    return 0;
}
