// Two descriptors that are ready at once may be told in either order: the handler of the one
// removes the other and frees what belongs to it, and the event of the other is already there.
// leno: verdict=bug kind=memory
// leno: cflags=-DONE_BY_ONE verdict=safe
#include <assert.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct client {
    int fd, uses;
    struct client *friend;
};

static int set;

static struct client *new_client(void)
{
    struct client *new = calloc(1, sizeof *new);
    new->fd = eventfd(1, 0);
    struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = new};
    assert(epoll_ctl(set, EPOLL_CTL_ADD, new->fd, &wanted) == 0);
    return new;
}

int main(void)
{
    set = epoll_create1(0);
    struct client *first = new_client(), *second = new_client();
    first->friend = second;
    struct epoll_event found[2];
#ifdef ONE_BY_ONE
    int n = epoll_wait(set, found, 1, -1);
#else
    int n = epoll_wait(set, found, 2, -1);
#endif
    for (int i = 0; i < n; i++) {
        struct client *it = found[i].data.ptr;
        it->uses++;
        if (it->friend) {
            close(it->friend->fd);
            free(it->friend);
            it->friend = NULL;
        }
    }
    return 0;
}
