// Who keeps the pointer that was given to realloc uses a block that is no more.
// leno[--property memory]: verdict=bug kind=memory message~"that has been freed" related~"T1 (grow) freed it here, line 18"
// leno: verdict=bug
// leno: cflags=-DLOCKED verdict=safe
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *numbers;

static void *grow(void *unused)
{
#ifdef LOCKED
    pthread_mutex_lock(&m);
    numbers = realloc(numbers, 64);
    pthread_mutex_unlock(&m);
#else
    int *bigger = realloc(numbers, 64);
    numbers = bigger;
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    numbers = calloc(4, sizeof *numbers);
    pthread_create(&thread, NULL, grow, NULL);
    pthread_mutex_lock(&m);
    int first = numbers[0];
    pthread_mutex_unlock(&m);
    pthread_join(thread, NULL);
    free(numbers);
    return first;
}
