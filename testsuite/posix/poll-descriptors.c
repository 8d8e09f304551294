// Waiting for one of several descriptors, by each of the functions for it: the thread is woken
// by whoever writes to one of them, and by nobody else.
// leno: verdict=safe
// leno: cflags=-DBY=PPOLL verdict=safe
// leno: cflags=-DBY=SELECT verdict=safe
// leno: cflags=-DBY=PSELECT verdict=safe
// leno: cflags=-DBY=EPOLL verdict=safe
// leno: cflags=-DBY=EPOLL_MASK verdict=safe
// leno: cflags=-DBY=EPOLL_TIME verdict=safe
// leno: cflags=-DNOBODY verdict=bug kind=termination
// leno: cflags="-DNOBODY -DBY=SELECT" verdict=bug kind=termination
// leno: cflags="-DNOBODY -DBY=EPOLL" verdict=bug kind=termination
// leno: cflags=-DORDER verdict=bug kind=assert
// leno: cflags="-DORDER -DBY=SELECT" verdict=bug kind=assert
// leno: cflags="-DORDER -DBY=EPOLL" verdict=bug kind=assert
// leno: cflags="-DNOBODY -DBY=PPOLL" verdict=bug kind=termination
// leno: cflags="-DNOBODY -DBY=PSELECT" verdict=bug kind=termination
// leno: cflags="-DNOBODY -DBY=EPOLL_MASK" verdict=bug kind=termination
// leno: cflags="-DNOBODY -DBY=EPOLL_TIME" verdict=bug kind=termination
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

enum { POLL, PPOLL, SELECT, PSELECT, EPOLL, EPOLL_MASK, EPOLL_TIME };
#ifndef BY
#define BY POLL
#endif

static int ends[2], event;

static void *write_to_pipe(void *unused)
{
#ifndef NOBODY
    assert(write(ends[1], "x", 1) == 1);
#endif
    return unused;
}

static void *write_to_event(void *unused)
{
#ifndef NOBODY
    eventfd_write(event, 1);
#endif
    return unused;
}

// Which are ready: 1 the pipe, 2 the event.
static int wait_for_them(void)
{
    struct pollfd files[2] = {{ends[0], POLLIN, 0}, {event, POLLIN, 0}};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    FD_SET(event, &set);
    if (BY == POLL) {
        assert(poll(files, 2, -1) > 0);
    } else if (BY == PPOLL) {
        assert(ppoll(files, 2, NULL, NULL) > 0);
    } else if (BY == SELECT) {
        assert(select(event + 1, &set, NULL, NULL, NULL) > 0);
    } else if (BY == PSELECT) {
        assert(pselect(event + 1, &set, NULL, NULL, NULL, NULL) > 0);
    } else {
        int all = BY == EPOLL_MASK ? epoll_create(2) : epoll_create1(0);
        for (int i = 0; i < 2; i++) {
            struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = i};
            assert(epoll_ctl(all, EPOLL_CTL_ADD, files[i].fd, &wanted) == 0);
        }
        struct epoll_event found[2];
        int n = BY == EPOLL_MASK   ? epoll_pwait(all, found, 2, -1, NULL)
                : BY == EPOLL_TIME ? epoll_pwait2(all, found, 2, NULL, NULL)
                                   : epoll_wait(all, found, 2, -1);
        assert(n > 0);
        for (int i = 0; i < n; i++) {
            files[found[i].data.u32].revents = found[i].events;
        }
        close(all);
    }
    if (BY == SELECT || BY == PSELECT) {
        return !!FD_ISSET(ends[0], &set) + 2 * !!FD_ISSET(event, &set);
    }
    return !!files[0].revents + 2 * !!files[1].revents;
}

int main(void)
{
    pthread_t a, b;
    assert(pipe(ends) == 0);
    event = eventfd(0, EFD_NONBLOCK);
    pthread_create(&a, NULL, write_to_pipe, NULL);
    pthread_create(&b, NULL, write_to_event, NULL);
    int left = 3;
    while (left) {
        int ready = wait_for_them();
#ifdef ORDER
        assert(ready != 2);
#endif
        char byte;
        uint64_t value;
        if (ready & 1) {
            assert(read(ends[0], &byte, 1) == 1);
        }
        if (ready & 2) {
            assert(read(event, &value, sizeof value) == sizeof value);
        }
        left &= ~ready;
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
