// A barrier for three that only two come to.
// leno: verdict=bug kind=deadlock object=barrier
#include <pthread.h>

static pthread_barrier_t barrier;

static void *come(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_create(&a, NULL, come, NULL);
    pthread_create(&b, NULL, come, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
