// An error-checking mutex refuses a second lock. Who does not look at the error goes on
// as if the mutex were held twice.
// leno: verdict=bug kind=lock message="locks an error-checking mutex that it holds already, and ignores the error" related="the same thread locked it here, line 24"
// leno: cflags=-DLOOK verdict=safe
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;

static int add(int *to)
{
#ifdef LOOK
    int held = pthread_mutex_lock(&m) == EDEADLK;
#else
    int held = 0;
    pthread_mutex_lock(&m);
#endif
    int sum = ++*to;
    if (!held)
        pthread_mutex_unlock(&m);
    return sum;
}

static void both(int *a, int *b) { pthread_mutex_lock(&m), add(a), add(b), pthread_mutex_unlock(&m); }

int main(void)
{
    int a = 0, b = 0;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &kind);
    both(&a, &b);
    pthread_mutex_destroy(&m);
    return 0;
}
