// The main thread computes for ever, for itself: the others have their turn all the same.
// leno[--max-steps 10000]: verdict=bug kind=race object=racy coverage=bounded
// leno: verdict=bug kind=race object=racy coverage=bounded
// leno[--isolate]: verdict=bug kind=race object=racy coverage=bounded
// leno[--max-steps 1000]: verdict=bug kind=race object=racy coverage=bounded
#include <pthread.h>

static int racy;
static volatile unsigned rounds;

static void *work(void *unused)
{
    racy++;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    for (;;)
        rounds++;
}
