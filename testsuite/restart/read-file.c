// Each execution opens the file anew, leaks the descriptor, and gets the same number.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[16];

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    int file = open("/proc/self/comm", O_RDONLY);
    assert(file == 3);
    ssize_t length = read(file, text, sizeof text);
    assert(length > 0 && text[length - 1] == '\n');
    assert(read(file, text, sizeof text) == 0);
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
