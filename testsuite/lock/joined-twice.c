// Two threads join a third: whoever comes second finds it joined, which is undefined, or finds
// the other one waiting for it, and is refused. Both are tried.
// leno[--keep-going]: verdict=bug bugs=4
// leno[--property crash]: verdict=bug kind=crash
// leno[--property crash --search source]: verdict=bug kind=crash
// leno[--property crash --search naive]: verdict=bug kind=crash
// leno[--property lock]: verdict=bug kind=lock message~joined
// leno[--property lock --search source]: verdict=bug kind=lock message~joined
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_t first;

static void *nothing(void *unused)
{
    return unused;
}

static void *join(void *unused)
{
    if (pthread_join(first, NULL))
        abort();
    return unused;
}

int main(void)
{
    pthread_t second;
    pthread_create(&first, NULL, nothing, NULL);
    pthread_create(&second, NULL, join, NULL);
    if (pthread_join(first, NULL))
        abort();
    pthread_join(second, NULL);
    return 0;
}
