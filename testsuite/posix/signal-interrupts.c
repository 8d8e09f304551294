// A handler runs in its thread between any two steps of it, also where these touch nothing
// that other threads know; or not at all, if the signal comes when the thread has ended.
// leno: cflags=-DNEVER=5 verdict=safe
// leno[--search naive]: cflags=-DNEVER=5 verdict=safe
// leno: cflags=-DNEVER=0 verdict=bug kind=assert
// leno: cflags=-DNEVER=1 verdict=bug kind=assert
// leno: cflags=-DNEVER=2 verdict=bug kind=assert
// leno: cflags=-DNEVER=3 verdict=bug kind=assert
// leno: cflags="-DNEVER=3 -O2" verdict=bug kind=assert
// leno: cflags=-DNEVER=4 verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int seen, step;

static void look(int number)
{
    (void)number;
    seen = step + 1;
}

static void *work(void *unused)
{
    step = 1;
    step = 2;
    step = 3;
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = look};
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, work, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    assert(seen != NEVER);
    return 0;
}
