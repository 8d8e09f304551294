// A function called __VERIFIER_atomic_… is one step, and so is what stands between begin
// and end: two sums that are kept equal are never seen to differ.
// leno: verdict=safe executions=6
// leno[--search naive]: verdict=safe
// leno: cflags=-DBROKEN verdict=bug kind=assert
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void reach_error(void) {}

#ifdef BROKEN
#define update plain_update
#define THREADS_RACE _Atomic
#else
#define update __VERIFIER_atomic_update
#define THREADS_RACE
#endif

THREADS_RACE int first;
THREADS_RACE int second;

void update(void)
{
    first++;
    second++;
}

static void *writer(void *unused)
{
    update();
    return unused;
}

static void *reader(void *unused)
{
    __VERIFIER_atomic_begin();
    int a = first, b = second;
    __VERIFIER_atomic_end();
    if (a != b)
        reach_error();
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_create(&threads[2], 0, writer, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
