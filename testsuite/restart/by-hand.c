// System calls by number: what leno knows stays in place, anything else does not.
// leno[--symmetry off]: verdict=safe executions=2 notes~syscall
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
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
    assert(syscall(SYS_gettid) > 0);
    long file = syscall(SYS_openat, AT_FDCWD, "made", O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert(file == 3 && syscall(SYS_write, file, "x", 1) == 1);
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(syscall(SYS_getuid) >= 0);
    return 0;
}
