// Who looks for failed assertions alone is told that the program did not come as far.
// leno: verdict=bug kind=crash
// leno[--property assert]: verdict=safe notes~"not-asked-for.c:17 in main"
// leno[--property assert]: cflags=-DWAIT verdict=safe notes~"deadlock ("
// leno[--property assert,crash]: verdict=bug kind=crash
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#ifdef WAIT
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define stop() (pthread_mutex_lock(&mutex), pthread_mutex_lock(&mutex))
#else
#define stop abort
#endif
int main(void)
{
    stop();
    assert(0);
}
