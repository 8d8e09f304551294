// Memory is freed while another thread may still use the mutex in it.
// leno: verdict=bug kind=race
// leno[--property memory]: verdict=bug kind=memory
// leno[--search naive]: verdict=bug
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *mutex;

static void *use(void *unused)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    pthread_create(&thread, NULL, use, NULL);
    free(mutex);
    pthread_join(thread, NULL);
    return 0;
}
