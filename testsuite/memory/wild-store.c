// A pointer that happens to lead into the runtime's own memory, or into its data: the
// write is refused, by whatever way it comes.
// leno: verdict=bug kind=memory message~"memory of leno's runtime"
// leno: cflags=-DCOPY verdict=bug kind=memory message~"memory of leno's runtime"
// leno: cflags=-DINPUT verdict=bug kind=memory message~"memory of leno's runtime"
// leno[--isolate]: verdict=bug kind=memory message~"memory of leno's runtime"
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static char *volatile wild = (char *)0x600000000000;
static const char text[64] = "text";

static void *body(void *unused)
{
#if defined COPY
    memcpy(wild, text, sizeof text);
#elif defined INPUT
    int zeros = open("/dev/zero", O_RDONLY);
    (void)!read(zeros, wild, 64);
    close(zeros);
#else
    *wild = 1;
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, body, 0);
    pthread_join(thread, 0);
    return 0;
}
