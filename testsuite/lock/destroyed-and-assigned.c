// A stack is used again: the mutex of the second call is a new one at the same place,
// initialised without a call. So is one that is assigned to.
// leno: verdict=safe
#include <pthread.h>

static pthread_mutex_t global = PTHREAD_MUTEX_INITIALIZER;

static int call(int n)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    return n;
}

int main(void)
{
    pthread_mutex_lock(&global);
    pthread_mutex_unlock(&global);
    pthread_mutex_destroy(&global);
    global = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&global);
    pthread_mutex_unlock(&global);
    return call(call(0)) != 2;
}
