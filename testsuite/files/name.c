// One thread makes a file, another one looks for it.
// leno: verdict=safe executions=2
// leno: cflags=-DCLAIM verdict=bug kind=assert
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int seen;

static void *make(void *unused)
{
    close(creat("flag", 0600));
    return unused;
}

static void *look(void *unused)
{
    seen = access("flag", F_OK) == 0;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, make, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef CLAIM
    assert(seen);
#endif
    return 0;
}
