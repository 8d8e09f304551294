// main waits for the thread, and the thread for main.
// leno: verdict=bug kind=deadlock message~"main and T1 wait for each other"
// leno: cflags=-DEXIT verdict=safe
#include <pthread.h>

static pthread_t main_thread;

static void *wait(void *unused)
{
    pthread_join(main_thread, NULL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    main_thread = pthread_self();
    pthread_create(&thread, NULL, wait, NULL);
#ifdef EXIT
    pthread_exit(NULL);
#endif
    pthread_join(thread, NULL);
    return 0;
}
