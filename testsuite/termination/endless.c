// A loop that makes progress for ever: the limit of steps cuts it, and that is no bug.
// leno[--max-steps 200]: verdict=unknown coverage=bounded
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turns;

static void *spin(void *unused)
{
    for (;;)
        atomic_fetch_add(&turns, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, spin, NULL);
    pthread_join(thread, NULL);
    return 0;
}
