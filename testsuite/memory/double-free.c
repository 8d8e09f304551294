// Both threads free what either was to free.
// leno[--property memory]: verdict=bug kind=memory message="frees a block that has been freed" related~"main allocated it here, line 31; T" related~"freed it here, line 22"
// leno: verdict=bug
// leno[--property memory,race]: cflags=-DONCE verdict=safe
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *block;

static void *drop(void *unused)
{
#ifdef ONCE
    pthread_mutex_lock(&m);
    char *mine = block;
    block = NULL;
    pthread_mutex_unlock(&m);
#else
    char *mine = block;
    (void)m;
#endif
    free(mine);
    return unused;
}

static void *(*const start)(void *) = drop;

int main(void)
{
    pthread_t a, b;
    block = malloc(8);
    pthread_create(&a, NULL, start, NULL);
    pthread_create(&b, NULL, start, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
