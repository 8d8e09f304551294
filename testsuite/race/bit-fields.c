// Bit-fields beside each other are one memory location, and a write of one writes the
// other. A field of width 0 between them makes two of them, and so do bytes.
// leno: verdict=bug kind=race object~flags
// leno: cflags=-O2 verdict=bug kind=race object~flags
// leno: cflags=-DAPART verdict=safe executions=1
// leno: cflags="-DAPART -O2" verdict=safe executions=1
// leno: cflags=-DBYTES verdict=safe executions=1
// leno: cflags="-DBYTES -O2" verdict=safe executions=1
#include <pthread.h>

static struct {
#ifdef BYTES
    char first;
    char second;
#else
    unsigned first : 3;
#ifdef APART
    unsigned : 0;
#endif
    unsigned second : 5;
#endif
} flags;

static void *set(void *unused)
{
    flags.second = 7;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    flags.first = 1;
    pthread_join(thread, NULL);
    return flags.second != 7;
}
