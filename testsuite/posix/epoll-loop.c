// A loop of events that other threads wake by an eventfd, and that is left when all is done.
// Whoever takes a job without a lock, or wakes the loop before the job is there, is found.
// leno: verdict=safe
// leno: cflags=-DUNLOCKED verdict=bug kind=race
// leno: cflags=-DEARLY verdict=bug kind=termination
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs, event;

static void add(void)
{
#ifndef UNLOCKED
    pthread_mutex_lock(&lock);
#endif
    jobs++;
#ifndef UNLOCKED
    pthread_mutex_unlock(&lock);
#endif
}

static void *produce(void *unused)
{
#ifdef EARLY
    eventfd_write(event, 1);
    add();
#else
    add();
    eventfd_write(event, 1);
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b;
    event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int set = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = event};
    assert(epoll_ctl(set, EPOLL_CTL_ADD, event, &wanted) == 0);
    pthread_create(&a, NULL, produce, NULL);
    pthread_create(&b, NULL, produce, NULL);
    for (int done = 0; done < 2;) {
        struct epoll_event found[4];
        int n = epoll_wait(set, found, 4, -1);
        assert(n == 1 && found[0].data.fd == event);
        uint64_t value;
        while (read(event, &value, sizeof value) == sizeof value) {
        }
        pthread_mutex_lock(&lock);
        done += jobs;
        jobs = 0;
        pthread_mutex_unlock(&lock);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
