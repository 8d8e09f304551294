// Two readers that both want to become the writer wait for each other.
// leno: verdict=bug kind=deadlock object=lock
#include <pthread.h>

static pthread_rwlock_t lock;

static void *upgrade(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_rwlock_init(&lock, NULL);
    pthread_create(&a, NULL, upgrade, NULL);
    pthread_create(&b, NULL, upgrade, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
