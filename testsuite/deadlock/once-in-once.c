// The routine asks for itself to be run.
// leno: verdict=bug kind=deadlock message="deadlock: main waits for itself" object=once
// leno: cflags=-DOTHER verdict=safe
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT, other = PTHREAD_ONCE_INIT;

static void nothing(void) {}

static void again(void)
{
#ifdef OTHER
    pthread_once(&other, nothing);
#else
    (void)other;
    pthread_once(&once, nothing);
#endif
}

int main(void)
{
    pthread_once(&once, again);
    return 0;
}
