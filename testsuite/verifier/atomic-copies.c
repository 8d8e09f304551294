// What an atomic section reads by copying a large object orders like any other read of it:
// all of the object's bytes count, not only the first few.
// leno: verdict=safe executions=2
#include <leno.h>
#include <pthread.h>

struct board {
    char notes[100];
    int posted;
};

static struct board shared;
static int data;

static void *post(void *arg)
{
    (void)arg;
    data = 1;
    leno_atomic_begin();
    shared.posted = 1;
    leno_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t poster;
    struct board seen;
    pthread_create(&poster, 0, post, 0);
    leno_atomic_begin();
    seen = shared;
    leno_atomic_end();
    if (seen.posted)
        data = 2;
    pthread_join(poster, 0);
    return 0;
}
