// A thread waits for a normal mutex that it holds itself.
// leno: verdict=bug kind=deadlock object=m executions=1
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}
