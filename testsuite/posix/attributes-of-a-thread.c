// A thread's name, schedule, processors and stack are its own.
// leno: cflags=-DWRONG=0 verdict=safe
// leno: cflags=-DWRONG=1 verdict=bug kind=assert message~"main is called otherwise"
// leno: cflags=-DWRONG=2 verdict=bug kind=assert message~"main is scheduled otherwise"
// leno: cflags=-DWRONG=3 verdict=bug kind=assert message~"main runs elsewhere"
// leno: cflags=-DWRONG=4 verdict=bug kind=assert message~"the stack is another's"
// leno: cflags=-DWRONG=6 verdict=bug kind=assert message~"nobody has detached it"
// leno: cflags=-DWRONG=5 verdict=bug kind=assert message~"the priority is lower"
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

static pthread_t main_thread;
static cpu_set_t all, one;

static void *work(void *unused)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    char here;
    struct sched_param real_time = { .sched_priority = 3 };
    assert(pthread_setname_np(main_thread, "boss") == 0);
    assert(pthread_setname_np(pthread_self(), "worker") == 0);
    assert(pthread_setschedparam(main_thread, SCHED_FIFO, &real_time) == 0);
    assert(pthread_setschedprio(main_thread, 5) == 0);
    assert(pthread_getaffinity_np(main_thread, sizeof all, &all) == 0);
    one = all;
    for (int i = 0, seen = 0; i < CPU_SETSIZE; i++) {
        if (seen)
            CPU_CLR(i, &one);
        seen |= CPU_ISSET(i, &one);
    }
    assert(pthread_setaffinity_np(main_thread, sizeof one, &one) == 0);
    cpu_set_t own;
    assert(pthread_getaffinity_np(pthread_self(), sizeof own, &own) == 0);
    assert(CPU_EQUAL(&own, &all));
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    pthread_attr_getstack(&attributes, &low, &size);
    int inside = &here >= (char *)low && &here < (char *)low + size;
    assert((WRONG != 4 || !inside) && "the stack is another's");
    pthread_attr_destroy(&attributes);
    return unused;
}

static void *detached(void *unused)
{
    pthread_attr_t attributes;
    int state;
    pthread_detach(pthread_self());
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    pthread_attr_getdetachstate(&attributes, &state);
    assert((WRONG != 6 || state == PTHREAD_CREATE_JOINABLE) && "nobody has detached it");
    pthread_attr_destroy(&attributes);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char name[16];
    struct sched_param parameters;
    int policy;
    cpu_set_t processors;
    main_thread = pthread_self();
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, detached, NULL);
    assert(pthread_getname_np(main_thread, name, sizeof name) == 0);
    assert((WRONG != 1 || strcmp(name, "boss")) && "main is called otherwise");
    assert(pthread_getschedparam(main_thread, &policy, &parameters) == 0);
    assert((WRONG != 2 || policy != SCHED_FIFO) && "main is scheduled otherwise");
    assert((WRONG != 5 || parameters.sched_priority < 5) && "the priority is lower");
    assert(pthread_getaffinity_np(main_thread, sizeof processors, &processors) == 0);
    assert((WRONG != 3 || !CPU_EQUAL(&processors, &one)) && "main runs elsewhere");
    assert(!strcmp(name, "boss") && policy == SCHED_FIFO && parameters.sched_priority == 5);
    assert(CPU_EQUAL(&processors, &one));
    return 0;
}
