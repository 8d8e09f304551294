// A thread has as much stack as was asked for: 24 MiB of frames fit into 32, not into the
// 8 that it has otherwise.
// leno: cflags="-O0 -DMEGABYTES=32" verdict=safe
// leno: cflags="-O0 -DMEGABYTES=1" verdict=bug kind=crash message~"stack overflow"
// leno[--isolate]: cflags="-O0 -DMEGABYTES=32" verdict=safe
#include <pthread.h>
#include <stdatomic.h>

static atomic_int deepest;

__attribute__((noinline)) static int fill(int megabytes)
{
    volatile char here[1 << 20];
    here[0] = (char)megabytes;
    return megabytes == 1 ? 1 : fill(megabytes - 1) + (here[0] == (char)megabytes);
}

static void *work(void *unused)
{
    deepest = fill(24);
    return unused;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)MEGABYTES << 20);
    pthread_t thread;
    pthread_create(&thread, &attributes, work, NULL);
    pthread_join(thread, NULL);
    return deepest != 24;
}
