// A constructor opens a file, and each execution finds it where the constructor left it.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int file;
static FILE *stream;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void open_files(void)
{
    char name[4];
    file = open("/proc/self/status", O_RDONLY);
    assert(read(file, name, 3) == 3);
    stream = fopen("/proc/self/status", "r");
    assert(fgetc(stream) == 'N');
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    char rest[3] = "";
    assert(lseek(file, 0, SEEK_CUR) == 3);
    assert(read(file, rest, 2) == 2 && rest[0] == 'e' && rest[1] == ':');
    assert(fgetc(stream) == 'a');

    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);

    lseek(file, 100, SEEK_SET);
    close(file);
    fclose(stream);
    return 0;
}
