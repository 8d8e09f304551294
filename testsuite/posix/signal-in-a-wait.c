// A handler runs while its thread waits for a lock, and lets the holder go on. One that
// locks what its thread holds never comes back, unless the signal is blocked meanwhile.
// leno: cflags=-DPOSTS verdict=safe
// leno[--search naive]: cflags=-DPOSTS verdict=safe
// leno: cflags="-DPOSTS -DNEEDED" verdict=bug kind=deadlock
// leno: cflags=-DLOCKS verdict=bug kind=deadlock
// leno: cflags="-DLOCKS -DBLOCKED" verdict=safe
// leno[--search naive]: cflags="-DLOCKS -DBLOCKED" verdict=safe
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
static int count;

static void on_signal(int number)
{
    (void)number;
#ifdef POSTS
    sem_post(&sem);
#else
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
#endif
}

static void *work(void *unused)
{
#ifdef BLOCKED
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
#endif
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
#ifdef BLOCKED
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
#endif
#ifdef NEEDED
    sem_wait(&sem);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = on_signal};
    sem_init(&sem, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
#ifdef POSTS
    pthread_mutex_lock(&mutex);
#endif
    pthread_create(&thread, NULL, work, NULL);
    pthread_kill(thread, SIGUSR1);
#ifdef POSTS
    sem_wait(&sem);
    pthread_mutex_unlock(&mutex);
#endif
    pthread_join(thread, NULL);
    return 0;
}
