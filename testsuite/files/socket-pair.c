// A read from a socket waits for what another thread sends; if nobody does, that is a hang.
// leno: verdict=safe
// leno: cflags=-DNOBODY verdict=bug kind=termination
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *sender(void *unused)
{
#ifndef NOBODY
    (void)!write(ends[1], "x", 1);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    char c = 0;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    pthread_create(&thread, 0, sender, 0);
    assert(read(ends[0], &c, 1) == 1 && c == 'x');
    pthread_join(thread, 0);
    return 0;
}
