// Standard descriptors that are closed, replaced and given other flags are back in the
// next execution.
// leno[--symmetry off]: verdict=safe executions=2
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    struct stat before, now;
    assert(fstat(1, &before) == 0 && fstat(0, &now) == 0 && fstat(3, &now) == -1);
    assert(!S_ISDIR(before.st_mode));
    assert((fcntl(2, F_GETFL) & O_APPEND) == 0 && fcntl(2, F_GETFD) == 0);

    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);

    int directory = open("/", O_RDONLY | O_DIRECTORY);
    assert(directory == 3);
    assert(dup2(directory, 1) == 1 && fstat(1, &now) == 0 && S_ISDIR(now.st_mode));
    assert(dup(directory) == 4 && fcntl(directory, F_DUPFD, 100) == 100);
    assert(fcntl(2, F_SETFL, O_APPEND) == 0 && fcntl(2, F_SETFD, FD_CLOEXEC) == 0);
    int ends[2];
    assert(pipe(ends) == 0 && ends[0] == 5 && ends[1] == 6);
    close(0);
    assert(open("/", O_RDONLY) == 0);
    return 0;
}
