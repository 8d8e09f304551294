// A library may call a function as often as it likes: that the function looks at the same value
// each time is no loop that waits for another one.
// leno: verdict=safe
// leno: args="--search naive" verdict=safe
// leno: cflags="-O2" verdict=safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int looked_at;

static int compare(const void *a, const void *b) {
    (void)a, (void)b;
    atomic_load(&looked_at);
    return 0;
}

static void *sort(void *argument) {
    int numbers[4] = {1, 1, 1, 1};
    qsort(numbers, 4, sizeof *numbers, compare);
    atomic_fetch_add(&looked_at, 2);
    return argument;
}

int main(void) {
    pthread_t sorter;
    pthread_create(&sorter, NULL, sort, NULL);
    atomic_store(&looked_at, 1);
    pthread_join(sorter, NULL);
    return 0;
}
