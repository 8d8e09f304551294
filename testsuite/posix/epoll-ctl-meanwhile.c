// A descriptor that is added to a set while another thread waits for the set ends that wait.
// leno: verdict=safe
// leno: cflags=-DNOT_ADDED verdict=bug kind=termination
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int set, late;

static void *add(void *unused)
{
#ifndef NOT_ADDED
    struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = 2};
    assert(epoll_ctl(set, EPOLL_CTL_ADD, late, &wanted) == 0);
#endif
    eventfd_write(late, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    set = epoll_create1(0);
    late = eventfd(0, 0);
    int never = eventfd(0, 0);
    struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = 1}, found;
    assert(epoll_ctl(set, EPOLL_CTL_ADD, never, &wanted) == 0);
    assert(epoll_ctl(set, EPOLL_CTL_ADD, never, &wanted) == -1);
    pthread_create(&thread, NULL, add, NULL);
    assert(epoll_wait(set, &found, 1, -1) == 1 && found.data.u32 == 2);
    pthread_join(thread, NULL);
    return 0;
}
