// qsort moves shared elements about, and leno has no model of it: it cannot say "safe".
// leno: verdict=unknown
// leno[--unseen ignore]: verdict=safe
#include <pthread.h>
#include <stdlib.h>

static int numbers[] = {3, 1, 2};

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void *change(void *unused)
{
    numbers[0] = 5;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, change, NULL);
    pthread_join(thread, NULL);
    qsort(numbers, 3, sizeof *numbers, compare);
    return 0;
}
