// Exceptions, the end of a thread and its cancellation unwind a stack that the program gave.
// leno: verdict=safe executions=2
// leno: cflags=-DBELOW verdict=safe executions=2
// leno: cflags="-DFORGETS" verdict=bug kind=assert
#include <cassert>
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>

enum { SIZE = 1 << 17 };

static char area[SIZE];
static int destroyed;
static sem_t never;

struct Counted {
    int times = 1;
    ~Counted() { destroyed += times; }
};

static thread_local Counted own;

static void leave(long how)
{
    Counted here;
    if (how == 0)
        throw std::runtime_error("out");
    if (how == 1)
        pthread_exit(nullptr);
    sem_wait(&never);
}

static void *work(void *how)
{
    Counted here;
#ifndef FORGETS
    own.times = 10;
#endif
    try {
        leave(reinterpret_cast<long>(how));
    } catch (const std::runtime_error &) {
        destroyed += 100;
    }
    return nullptr;
}

int main()
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
#ifdef BELOW
    char here[SIZE];
    pthread_attr_setstack(&attributes, here, SIZE);
#else
    pthread_attr_setstack(&attributes, area, SIZE);
#endif
    sem_init(&never, 0, 0);
    for (long how = 0; how < 3; how++) {
        destroyed = 0;
        pthread_create(&thread, &attributes, work, reinterpret_cast<void *>(how));
        if (how == 2)
            pthread_cancel(thread);
        pthread_join(thread, nullptr);
        assert(destroyed == (how == 0 ? 112 : 12));
    }
}
