// Attributes are taken and given back; a thread's stack is where it says.
// leno: cflags=-DINSIDE=1 verdict=safe
// leno: cflags=-DINSIDE=0 verdict=bug kind=assert
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

static void *work(void *unused)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    char here;
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    pthread_attr_getstack(&attributes, &low, &size);
    int inside = &here >= (char *)low && &here < (char *)low + size;
    assert(inside == INSIDE);
    pthread_attr_destroy(&attributes);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    struct sched_param parameters = { .sched_priority = 0 };
    size_t size;
    int value;
    cpu_set_t processors;
    clockid_t clock;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_attr_getstacksize(&attributes, &size);
    assert(size == 1 << 20);
    pthread_attr_setguardsize(&attributes, 8192);
    pthread_attr_getguardsize(&attributes, &size);
    assert(size == 8192);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_getinheritsched(&attributes, &value);
    assert(value == PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
    pthread_attr_setschedparam(&attributes, &parameters);
    pthread_attr_setscope(&attributes, PTHREAD_SCOPE_SYSTEM);
    assert(pthread_create(&thread, &attributes, work, NULL) == 0);
    pthread_attr_destroy(&attributes);
    work(NULL);
    assert(pthread_getaffinity_np(thread, sizeof processors, &processors) == 0);
    assert(CPU_COUNT(&processors) > 0);
    assert(pthread_setaffinity_np(thread, sizeof processors, &processors) == 0);
    assert(pthread_getcpuclockid(thread, &clock) == 0);
    pthread_join(thread, NULL);
    return 0;
}
