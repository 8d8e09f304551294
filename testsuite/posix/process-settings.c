// The working directory, the mask for new files and the flags of a descriptor belong to all
// threads together: what one has set another may have changed.
// leno: verdict=bug kind=assert message~"path"
// leno: cflags=-DKIND=1 verdict=bug kind=assert message~"umask"
// leno: cflags=-DKIND=2 verdict=bug kind=assert message~"F_GETFD"
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *set(void *argument)
{
    int first = argument != 0;
#if KIND == 1
    umask(first);
    if (first)
        assert(umask(1) == 1);
#elif KIND == 2
    fcntl(0, F_SETFD, first);
    if (first)
        assert(fcntl(0, F_GETFD) == 1);
#else
    char path[4096];
    if (chdir(first ? "/" : "/tmp") == 0 && first && getcwd(path, sizeof path))
        assert(strcmp(path, "/") == 0);
#endif
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, set, (void *)1);
    pthread_create(&b, 0, set, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
