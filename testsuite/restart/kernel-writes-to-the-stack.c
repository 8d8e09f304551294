// The kernel fills a buffer that lies deeper on the stack than anything before.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fill(void)
{
    char buffer[200000];
    int zero = open("/dev/zero", O_RDONLY);
    assert(zero >= 0);
    assert(read(zero, buffer, 100) == 100);
    assert(buffer[99] == 0);
    memset(buffer, 1, sizeof buffer);
    close(zero);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    fill();
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    fill();
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
