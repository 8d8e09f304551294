// A pair of sockets is like two pipes: both directions wait for their own, a shutdown ends
// the other side's wait, and poll sees it.
// leno: verdict=safe
// leno: cflags=-DBOTH_WAIT verdict=bug kind=termination
// leno: cflags=-DSTAYS_OPEN verdict=bug kind=termination
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], data;

static void *answer(void *unused)
{
    char byte;
    while (recv(ends[1], &byte, 1, 0) == 1) {
        data++;
        assert(send(ends[1], &byte, 1, 0) == 1);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&thread, NULL, answer, NULL);
    char byte = 'x';
#ifndef BOTH_WAIT
    assert(write(ends[0], &byte, 1) == 1);
#endif
    struct pollfd one = {ends[0], POLLIN, 0};
    assert(poll(&one, 1, -1) == 1 && one.revents == POLLIN);
    assert(read(ends[0], &byte, 1) == 1);
    assert(data == 1);
#ifndef STAYS_OPEN
    shutdown(ends[0], SHUT_WR);
#endif
    pthread_join(thread, NULL);
    return 0;
}
