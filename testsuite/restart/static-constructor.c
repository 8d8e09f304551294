// What a constructor left is there at each start, and what main made of it is not.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int ready;
static char *text;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void prepare(void)
{
    ready = 41;
    text = malloc(16);
    strcpy(text, "constructed");
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    ready++;
    text[0] = 'C';
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    assert(ready == 41 && !strcmp(text, "constructed"));
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(ready == 43 && text[0] == 'C');
    text = realloc(text, 4096);
    memset(text, 1, 4096);
    free(text);
    ready = 0;
    return 0;
}
