// What threads return, by return and by pthread_exit, comes out of join.
// leno: verdict=safe executions=1
#include <assert.h>
#include <pthread.h>

static void *by_return(void *argument)
{
    return (void *)((long)argument * 2);
}

static void leave(long value)
{
    pthread_exit((void *)value);
}

static void *by_exit(void *argument)
{
    leave((long)argument * 3);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    void *from_a, *from_b;
    pthread_create(&a, NULL, by_return, (void *)7L);
    pthread_create(&b, NULL, by_exit, (void *)7L);
    assert(pthread_join(b, &from_b) == 0);
    assert(pthread_join(a, &from_a) == 0);
    assert((long)from_a == 14 && (long)from_b == 21);
    return 0;
}
