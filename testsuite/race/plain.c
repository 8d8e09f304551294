// Two unprotected increments.
// leno: verdict=bug kind=race object=x coverage=bounded
// leno[--keep-going]: verdict=bug kind=race object=x coverage=exhaustive
// leno[--property deadlock]: verdict=safe
#include <pthread.h>

static int x;

static void *work(void *unused)
{
    x = x + 1;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
