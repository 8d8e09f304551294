// Main waits for two variables of its own, which another thread writes; one beside them is
// main's alone. What others write is no part of main's state: whether main begins anew in
// the same state is a matter of what it has read.
// leno: verdict=safe executions=1 blocked=3
// leno: cflags=-O2 verdict=safe executions=1 blocked=3
// leno[--search source]: verdict=safe executions=1
// leno[--search dpor]: verdict=safe
// leno[--search naive]: verdict=safe
// leno[--isolate]: verdict=safe executions=1 blocked=3
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct box {
    atomic_int first, second;
    long own;
};

static void *fill(void *arg)
{
    struct box *box = arg;
    for (int i = 1; i <= 2; i++) {
        box->first = i;
        box->second = i;
    }
    return NULL;
}

int main(void)
{
    struct box box = {0};
    pthread_t filler;
    pthread_create(&filler, NULL, fill, &box);
    box.own = 1;
    while (box.first < 2 || box.second < 2) {
    }
    pthread_join(filler, NULL);
    return (int)box.own - 1;
}
