// Two threads lock each other out while main goes on to its end: nobody waits for them.
// leno: verdict=bug kind=deadlock message="deadlock: T1 and T2 wait for each other" related~"b is held by T2 (second), which took it here, line 25" related~"a is held by T1 (first), which took it here, line 16"
// leno: cflags=-DORDER verdict=safe
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
#ifdef ORDER
#define B_FIRST &a
#define A_SECOND &b
#else
#define B_FIRST &b
#define A_SECOND &a
#endif
static void *first(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(B_FIRST);
    pthread_mutex_lock(A_SECOND);
    pthread_mutex_unlock(A_SECOND);
    pthread_mutex_unlock(B_FIRST);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&other, NULL, second, NULL);
    pthread_detach(one);
    pthread_detach(other);
    return 0;
}
