// Two threads open a semaphore by its name, whoever comes first creates it.
// leno: cflags=-DNAME=one verdict=safe
// leno: cflags=-DNAME=other verdict=bug kind=race object=counter
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

static int counter;

static void *count(void *name)
{
    sem_t *sem = sem_open(name, O_CREAT, 0600, 1);
    assert(sem != SEM_FAILED);
    sem_wait(sem);
    counter++;
    sem_post(sem);
    assert(sem_close(sem) == 0);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    assert(sem_open("/one", 0) == SEM_FAILED && errno == ENOENT);
    pthread_create(&a, NULL, count, "/one");
    pthread_create(&b, NULL, count, "/" TEXT(NAME));
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(sem_open("/one", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
    assert(sem_unlink("/one") == 0);
    assert(sem_unlink("/one") == -1 && errno == ENOENT);
    return 0;
}
