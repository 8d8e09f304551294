// A name that was unlinked means another semaphore from then on.
// leno: cflags=-DUNLINK=0 verdict=safe
// leno: cflags=-DUNLINK=1 verdict=bug kind=deadlock object=/ready
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static void *post(void *unused)
{
    sem_t *sem = sem_open("/ready", O_CREAT, 0600, 0);
    sem_post(sem);
    sem_close(sem);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_t *sem = sem_open("/ready", O_CREAT, 0600, 0);
    if (UNLINK)
        sem_unlink("/ready");
    pthread_create(&thread, NULL, post, NULL);
    sem_wait(sem);
    pthread_join(thread, NULL);
    sem_close(sem);
    return 0;
}
