// A thread without a function: it ends where it begins, and does not begin with main.
// leno: verdict=bug kind=crash bugs=1 message~SIGSEGV
// leno[--property deadlock]: verdict=safe executions=1
#include <pthread.h>
#include <stddef.h>

static void *(*start)(void *);

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, NULL);
    return 0;
}
