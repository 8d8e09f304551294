// Two threads that never end race before their loops. The race is seen although no execution
// comes to its end, and the one thread does not keep the other from its turn.
// leno[--timeout 5s]: verdict=bug kind=race object=racy coverage=bounded
// leno: verdict=bug kind=race object=racy coverage=bounded
// leno[--search source]: verdict=bug kind=race object=racy coverage=bounded
// leno[--isolate]: verdict=bug kind=race object=racy coverage=bounded
// leno[--max-steps 5000]: verdict=bug kind=race object=racy coverage=bounded
#include <pthread.h>
#include <stdatomic.h>

static int racy;
static atomic_int rounds;

static void *spin(void *unused)
{
    racy++;
    for (;;)
        atomic_fetch_add(&rounds, 1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, spin, NULL);
    pthread_create(&b, NULL, spin, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
