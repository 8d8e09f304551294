// A function that a library calls may wait itself, for ever if nobody writes.
// leno: verdict=bug kind=termination
// leno: cflags="-DWRITTEN" verdict=safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int awaited;

static int compare(const void *a, const void *b) {
    (void)a, (void)b;
    while (!atomic_load(&awaited))
        ;
    return 0;
}

static void *sort(void *argument) {
    int numbers[2] = {1, 1};
    qsort(numbers, 2, sizeof *numbers, compare);
    return argument;
}

int main(void) {
    pthread_t sorter;
    pthread_create(&sorter, NULL, sort, NULL);
#ifdef WRITTEN
    atomic_store(&awaited, 1);
#endif
    pthread_join(sorter, NULL);
    return 0;
}
