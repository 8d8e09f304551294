// Each thread has a file of its own: nothing depends on the order, and the numbers of the
// descriptors are the same in every one.
// leno: verdict=safe executions=1
// leno[--search naive --max-executions 50]: verdict=unknown
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *write_own(void *name)
{
    int file = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    assert(file >= 0 && write(file, name, 1) == 1);
    char back;
    assert(lseek(file, 0, SEEK_SET) == 0 && read(file, &back, 1) == 1 && back == *(char *)name);
    close(file);
    FILE *stream = fopen(name, "r+");
    assert(fgetc(stream) == back && fputs("more", stream) >= 0);
    fclose(stream);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    static char *names[] = { "first", "second", "third" };
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, write_own, names[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    int next = open("/", O_RDONLY);
    assert(next == 3);
    return 0;
}
