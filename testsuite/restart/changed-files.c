// Whatever is done to files is undone before the next execution.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

// The first constructor of the first execution's process makes a file to be changed.
__attribute__((constructor)) static void prepare(void)
{
    int file = open("old", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert(write(file, "old\n", 4) == 4);
    close(file);
}

static long size(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (long)status.st_size : -1;
}

static unsigned owner(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_uid : -1;
}

int main(void)
{
    assert(owner("old") == getuid());
    if (getuid() == 0) { // Nobody else can give files away.
        int file = open("old", O_RDONLY);
        assert(fchown(file, 2, 2) == 0 && owner("old") == 2);
        close(file);
    }
    assert(chown("old", -1, -1) == 0);
    assert(size("old") == 4 && size("new") == -1 && size("folder") == -1 && size("moved") == -1);

    int made = open("new", O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert(made == 3 && write(made, "text", 4) == 4 && size("new") == 4);
    assert(posix_fallocate(made, 0, 8) == 0 && size("new") == 8);
    assert(posix_fadvise(made, 0, 0, POSIX_FADV_DONTNEED) == 0 && ftruncate(made, 4) == 0);
    close(made);

    FILE *grown = fopen("old", "a");
    fputs("more\n", grown);
    fclose(grown);
    assert(size("old") == 9);
    assert(chmod("old", 0400) == 0 && link("old", "second") == 0 && symlink("old", "third") == 0);
    assert(unlink("old") == 0 && size("old") == -1 && size("second") == 9 && size("third") == -1);

    assert(mkdir("folder", 0700) == 0 && rename("new", "folder/inside") == 0);
    assert(rename("folder", "moved") == 0 && size("moved/inside") == 4);
    assert(truncate("moved/inside", 1) == 0 && size("moved/inside") == 1);

    char name[] = "temporary-XXXXXX";
    int temporary = mkstemp(name);
    assert(temporary == 3 && write(temporary, "x", 1) == 1 && size(name) == 1);

    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(remove("moved/inside") == 0 && remove("moved") == 0);
    return 0;
}
