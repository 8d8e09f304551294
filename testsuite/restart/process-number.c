// The number of the process is the same in every execution, also where each is a process
// of its own; and who is sent a signal by that number is the process itself.
// leno: cflags=-DKILL verdict=bug kind=crash
// leno[--symmetry off]: cflags=-DNUMBER verdict=safe executions=2
// leno[--symmetry off --isolate]: cflags=-DNUMBER verdict=safe executions=2
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int slots[64];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
#ifdef NUMBER
    slots[getpid() % 64]++;
#else
    slots[0]++;
#endif
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#ifdef KILL
    kill(getpid(), SIGTERM);
#endif
    return getppid() == getpid() || getpgrp() != getpgid(getpid());
}
