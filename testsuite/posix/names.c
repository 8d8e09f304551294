// The names and schedules of threads, set by one thread and read by another.
// leno: cflags=-DJOIN=1 verdict=safe
// leno: cflags=-DJOIN=0 verdict=bug kind=assert
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

static pthread_t main_thread;

static void *work(void *unused)
{
    struct sched_param parameters = { .sched_priority = 0 };
    assert(pthread_setname_np(main_thread, "boss") == 0);
    assert(pthread_setname_np(main_thread, "a name that is too long") == ERANGE);
    assert(pthread_setschedparam(pthread_self(), SCHED_BATCH, &parameters) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char name[16];
    struct sched_param parameters;
    int policy;
    main_thread = pthread_self();
    assert(pthread_equal(main_thread, pthread_self()));
    assert(pthread_getname_np(main_thread, name, 1) == ERANGE);
    pthread_create(&thread, NULL, work, NULL);
    pthread_getschedparam(thread, &policy, &parameters);
    assert(policy == SCHED_OTHER || policy == SCHED_BATCH);
    if (JOIN)
        pthread_join(thread, NULL);
    assert(pthread_getname_np(main_thread, name, sizeof name) == 0);
    assert(strcmp(name, "boss") == 0);
    return 0;
}
