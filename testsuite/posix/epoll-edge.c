// An edge-triggered descriptor is told once for each time that something comes: who then reads
// only a part of it waits for ever. One that is to be told once is told no more until it is
// asked for again.
// leno: verdict=safe
// leno: cflags=-DPART verdict=bug kind=termination
// leno: cflags=-DONCE verdict=bug kind=termination
// leno: cflags="-DONCE -DAGAIN" verdict=safe
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    assert(write(ends[1], "ab", 2) == 2);
    assert(write(ends[1], "c", 1) == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(pipe(ends) == 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    int set = epoll_create1(0);
#ifdef ONCE
    struct epoll_event wanted = {.events = EPOLLIN | EPOLLONESHOT};
#else
    struct epoll_event wanted = {.events = EPOLLIN | EPOLLET};
#endif
    assert(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &wanted) == 0);
    pthread_create(&thread, NULL, send, NULL);
    for (int bytes = 0; bytes < 3;) {
        struct epoll_event found;
        char byte;
        assert(epoll_wait(set, &found, 1, -1) == 1);
        while (read(ends[0], &byte, 1) == 1) {
            bytes++;
#ifdef PART
            break;
#endif
        }
#ifdef AGAIN
        assert(epoll_ctl(set, EPOLL_CTL_MOD, ends[0], &wanted) == 0);
#endif
    }
    pthread_join(thread, NULL);
    return 0;
}
