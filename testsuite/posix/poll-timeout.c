// A timeout of a wait for descriptors may fire whenever nothing is ready, and a loop that
// only waits so until somebody writes is a wait itself. (--record-all: waits write, the answers.)
// leno: verdict=safe
// leno: cflags=-DEPOLL verdict=safe
// leno: cflags=-DSELECT verdict=safe
// leno: cflags=-DNOBODY verdict=bug kind=termination
// leno: cflags="-DNOBODY -DEPOLL" verdict=bug kind=termination
// leno: cflags="-DNOBODY -DSELECT" verdict=bug kind=termination
// leno: cflags=-DSURE verdict=bug kind=assert
// leno: cflags="-DSURE -DEPOLL" verdict=bug kind=assert
// leno: cflags="-DSURE -DSELECT" verdict=bug kind=assert
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>

static int event, set;

static void *send(void *unused)
{
#ifndef NOBODY
    eventfd_write(event, 1);
#endif
    return unused;
}

static int wait_a_little(void)
{
#ifdef EPOLL
    struct epoll_event found;
    return epoll_wait(set, &found, 1, 10);
#elif defined SELECT
    fd_set one;
    FD_ZERO(&one);
    FD_SET(event, &one);
    struct timeval little = {.tv_usec = 10};
    int n = select(event + 1, &one, NULL, NULL, &little);
    assert(n == !!FD_ISSET(event, &one));
    return n;
#else
    struct pollfd one = {event, POLLIN, 0};
    return poll(&one, 1, 10);
#endif
}

int main(void)
{
    pthread_t thread;
    event = eventfd(0, 0);
    set = epoll_create1(0);
    struct epoll_event wanted = {.events = EPOLLIN};
    epoll_ctl(set, EPOLL_CTL_ADD, event, &wanted);
    pthread_create(&thread, NULL, send, NULL);
#ifdef SURE
    assert(wait_a_little() == 1);
#else
    while (wait_a_little() == 0) {
    }
#endif
    pthread_join(thread, NULL);
    return 0;
}
