// The handle of a thread is good until it has been joined, or has ended as a detached one.
// leno: cflags=-DJOINS=1 verdict=safe
// leno: cflags=-DJOINS=2 verdict=bug kind=lock message~"joins a thread that has been joined" related~"the same thread joined it here, line 21"
// leno: cflags="-DJOINS=1 -DDETACH" verdict=bug kind=lock message~"detaches a thread that has been joined" related~"joined it here, line 21"
// leno: cflags="-DJOINS=1 -DKILL" verdict=bug kind=lock message~"signals a thread that has been joined" related~"joined it here, line 21"
// leno: cflags="-DJOINS=1 -DCANCEL" verdict=bug kind=lock message~"cancels a thread that has been joined" related~"joined it here, line 21"
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
    int error = 0;
    for (int joins = 0; joins < JOINS; joins++)
        error |= pthread_join(thread, NULL);
#ifdef DETACH
    error |= pthread_detach(thread);
#endif
#ifdef KILL
    error |= pthread_kill(thread, 0);
#endif
#ifdef CANCEL
    error |= pthread_cancel(thread);
#endif
    return error;
}
