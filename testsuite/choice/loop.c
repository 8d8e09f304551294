// A thread that may go round as often as it likes, and changes nothing when it does: to go
// round once more is to be where it was, so that is not gone on with. In one execution each
// is the loop left for the write, and left without one.
// leno: verdict=safe coverage=exhaustive executions=2
// leno: cflags=-O2 verdict=safe coverage=exhaustive executions=2
// leno[--search source]: verdict=safe coverage=exhaustive executions=2
// leno[--search naive]: verdict=safe coverage=exhaustive
// leno[--isolate]: verdict=safe coverage=exhaustive executions=2
#include <leno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int chosen;

static void *serve(void *unused)
{
    for (;;) {
        switch (leno_choose(3)) {
        case 0:
            break;
        case 1:
            atomic_store(&chosen, 1);
            return unused;
        default:
            return unused;
        }
    }
}

int main(void)
{
    pthread_t server;
    pthread_create(&server, NULL, serve, NULL);
    pthread_join(server, NULL);
    return atomic_load(&chosen) > 1;
}
