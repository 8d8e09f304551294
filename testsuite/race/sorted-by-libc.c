// qsort moves shared elements about.
// leno: verdict=bug kind=race object=numbers[2]
// leno: cflags=-O2 verdict=bug kind=race object=numbers[2]
// leno: cflags=-DJOINED verdict=safe
#include <pthread.h>
#include <stdlib.h>

static int numbers[] = {3, 1, 2};

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void *change(void *unused)
{
    numbers[2] = 5;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
#ifdef JOINED
    pthread_join(thread, NULL);
    qsort(numbers, 3, sizeof *numbers, compare);
#else
    qsort(numbers, 3, sizeof *numbers, compare);
    pthread_join(thread, NULL);
#endif
    return 0;
}
