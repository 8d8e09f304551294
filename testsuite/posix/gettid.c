// Every thread has a number of its own, by function and by system call, and the main
// thread's is that of the process.
// leno: verdict=safe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t numbers[2];

static void *body(void *place)
{
    *(pid_t *)place = gettid();
    assert(syscall(SYS_gettid) == gettid());
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, body, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(gettid() == getpid());
    assert(numbers[0] != numbers[1] && numbers[0] != getpid() && numbers[1] != getpid());
    return 0;
}
