// Whoever gets the lock counts; the other one goes on without.
// leno: verdict=safe
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int winners;

static void *try(void *unused)
{
    if (pthread_mutex_trylock(&m) == 0) {
        winners++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, try, NULL);
    pthread_create(&b, NULL, try, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(winners == 1 || winners == 2);
    return 0;
}
