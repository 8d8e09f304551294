// Two threads append to one file: both orders are explored.
// leno: verdict=safe executions=2
// leno: cflags=-DCLAIM verdict=bug kind=assert
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *append(void *text)
{
    int file = open("log", O_WRONLY | O_APPEND);
    assert(file >= 0 && write(file, text, 1) == 1);
    close(file);
    return NULL;
}

int main(void)
{
    close(open("log", O_WRONLY | O_CREAT | O_EXCL, 0600));
    pthread_t a, b;
    pthread_create(&a, NULL, append, "a");
    pthread_create(&b, NULL, append, "b");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    char text[3] = "";
    int file = open("log", O_RDONLY);
    assert(read(file, text, 3) == 2);
#ifdef CLAIM
    assert(text[0] == 'a');
#endif
    return 0;
}
