// Signal 0 asks whether a thread is there; one that ends the process is a crash.
// leno: cflags=-DSIGNAL=0 verdict=safe
// leno: cflags=-DSIGNAL=SIGCHLD verdict=safe
// leno: cflags=-DSIGNAL=SIGTERM verdict=bug kind=crash
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    assert(pthread_kill(thread, 1000) == EINVAL);
    assert(pthread_kill(thread, SIGNAL) == 0);
    pthread_join(thread, NULL);
    return 0;
}
