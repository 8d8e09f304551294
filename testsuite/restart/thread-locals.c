// errno, thread-local variables and buffers, in main and in other threads.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local char buffer[20000];
static _Thread_local int three = 3;

static void look(void)
{
    assert(errno == 0 && three == 3);
    for (unsigned i = 0; i < sizeof buffer; i++)
        assert(buffer[i] == 0);
    memset(buffer, 1, sizeof buffer);
    errno = 5;
    three = 4;
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    look();
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    look();
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
