// A loop whose body is an atomic section that only reads waits; nothing else is explored
// for each of its turns. If nobody writes, it waits for ever.
// leno: verdict=safe
// leno: cflags=-DNEVER verdict=bug kind=termination
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int ready;

static void *waiter(void *unused)
{
    for (;;) {
        __VERIFIER_atomic_begin();
        int seen = ready;
        __VERIFIER_atomic_end();
        if (seen)
            return unused;
    }
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
#ifndef NEVER
    __VERIFIER_atomic_begin();
    ready = 1;
    __VERIFIER_atomic_end();
#endif
    pthread_join(thread, 0);
    return 0;
}
