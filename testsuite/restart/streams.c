// Streams: half read, half flushed, temporary, in memory, from a directory; and a handler
// at exit that still writes.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *temporary;
static char large[1 << 14];

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void last_words(void)
{
    assert(fputs("last words", temporary) >= 0 && fflush(temporary) == 0);
    assert(ftell(temporary) == 26);
}

int main(void)
{
    // A read of this size goes past the stream's own buffer, right into untouched pages.
    FILE *zeros = fopen("/dev/zero", "r");
    assert(zeros != NULL && fread(large, 1, sizeof large, zeros) == sizeof large);

    char *line = NULL;
    size_t room = 0;
    FILE *status = fopen("/proc/self/status", "r");
    assert(status != NULL && getline(&line, &room, status) > 0);
    assert(strncmp(line, "Name:", 5) == 0);
    int number = -1;
    assert(fscanf(status, "Umask: %d", &number) == 1);

    temporary = tmpfile();
    assert(temporary != NULL);
    fputs("never flushed", temporary);
    assert(ftell(temporary) == 13);
    fflush(temporary);
    fputs("yet", temporary);
    atexit(last_words);

    DIR *directory = opendir("/proc/self");
    assert(directory != NULL && readdir(directory) != NULL);

    char memory[8] = "";
    FILE *inside = fmemopen(memory, sizeof memory, "w");
    fputs("inside", inside);
    fclose(inside);
    assert(strcmp(memory, "inside") == 0);

    fputs("half a line", stdout);
    assert(freopen("/dev/null", "w", stdout) != NULL);

    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
