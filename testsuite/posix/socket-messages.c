// Two threads send a byte each through a pair of sockets, by each of the functions for it. Who
// receives waits for both, and cannot know which comes first; when nobody sends any more, it
// is told so.
// leno: verdict=safe
// leno: cflags=-DBY=TO verdict=safe
// leno: cflags=-DBY=MESSAGE verdict=safe
// leno: cflags=-DORDER verdict=bug kind=assert
// leno: cflags="-DORDER -DBY=TO" verdict=bug kind=assert
// leno: cflags="-DORDER -DBY=MESSAGE" verdict=bug kind=assert
// leno: cflags="-DNOBODY -DBY=TO" verdict=bug kind=termination
// leno: cflags="-DNOBODY -DBY=MESSAGE" verdict=bug kind=termination
// leno: cflags=-DENDLESS verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { PLAIN, TO, MESSAGE };
#ifndef BY
#define BY PLAIN
#endif

static int ends[2];

static struct msghdr header(struct iovec *part, char *byte)
{
    *part = (struct iovec){byte, 1};
    return (struct msghdr){.msg_iov = part, .msg_iovlen = 1};
}

static void *give(void *name)
{
    char byte = *(char *)name;
    struct iovec part;
    struct msghdr message = header(&part, &byte);
#ifndef NOBODY
    long sent = BY == TO        ? sendto(ends[1], &byte, 1, 0, NULL, 0)
                : BY == MESSAGE ? sendmsg(ends[1], &message, 0)
                                : send(ends[1], &byte, 1, 0);
    assert(sent == 1);
#endif
    return NULL;
}

static int take(char *byte)
{
    struct iovec part;
    struct msghdr message = header(&part, byte);
    return BY == TO        ? recvfrom(ends[0], byte, 1, 0, NULL, NULL)
           : BY == MESSAGE ? recvmsg(ends[0], &message, 0)
                           : recv(ends[0], byte, 1, 0);
}

static void *stop(void *unused)
{
    shutdown(ends[1], SHUT_WR);
    return unused;
}

int main(void)
{
    pthread_t a, b, last;
    char first, second, none;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&a, NULL, give, "a");
    pthread_create(&b, NULL, give, "b");
    assert(take(&first) == 1 && take(&second) == 1 && first != second);
#ifdef ORDER
    assert(first == 'a');
#endif
    pthread_create(&last, NULL, stop, NULL);
    int more = take(&none);
#ifdef ENDLESS
    assert(more == 1);
#else
    assert(more == 0);
#endif
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(last, NULL);
    return 0;
}
