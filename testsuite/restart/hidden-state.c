// What the C library keeps to itself: rand, strtok, the environment, atexit.
// leno: verdict=safe coverage=exhaustive
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char list[] = "a,b,c,d";
static int ran;

static void at_end(void)
{
    assert(++ran <= 2);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(strtok(NULL, ","));
    rand();
    setenv("LENO_TEST", "a longer value", 1);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    assert(rand() == 1804289383);
    srand(7);
    assert(!strcmp(strtok(list, ","), "a"));
    assert(!getenv("LENO_TEST"));
    setenv("LENO_TEST", "1", 1);
    atexit(at_end);
    atexit(at_end);
    printf("half a line");
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
