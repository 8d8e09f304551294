// One thread pushes N elements onto a stack under a lock, another one pops what it finds.
// leno[--symmetry off]: cflags=-DN=3 verdict=safe executions=20 blocked=0
// leno[--symmetry off]: cflags=-DN=4 verdict=safe executions=70 blocked=0
// leno[--symmetry off --search source]: cflags=-DN=3 verdict=safe executions=20
// leno[--symmetry off --search source]: cflags=-DN=4 verdict=safe executions=70
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stack[N], height;

static void *push(void *unused)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        stack[height++] = i;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *pop(void *unused)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        if (height > 0)
            assert(stack[--height] >= 0);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, push, NULL);
    pthread_create(&b, NULL, pop, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
