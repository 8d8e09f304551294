// Changes all files that it finds, and ends well, badly or never.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
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
    int file = open("old", O_WRONLY | O_TRUNC);
    assert(file >= 0 && write(file, "vandalised", 10) == 10);
    assert(chmod("old", 0777) == 0);
    assert(unlink("gone") == 0 && mkdir("gone", 0700) == 0);
    assert(open("gone/made", O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0);
    assert(symlink("gone/made", "link") == 0 && rename("old", "new") == 0);
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef ENDLESS
    for (;;)
        sched_yield();
#endif
#ifdef CRASH
    abort();
#endif
    return 0;
}
