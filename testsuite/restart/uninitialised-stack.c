// What lies on the stack before it is written is the same each time, wherever one looks: nothing
// of the runtime's, whose work differs from execution to execution, is left there.
// leno[--symmetry off]: cflags=-w verdict=safe executions=24
// leno[--symmetry off]: cflags="-w -O2" verdict=safe executions=24
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static atomic_int seen[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int shared;
static __thread int own;

/* What the bytes are decides which event there is. */
static void tell(unsigned long found)
{
    atomic_load(&seen[found * 0x9e3779b97f4a7c15ul >> 58]);
}

NOINLINE static unsigned long hash(const volatile unsigned char *bytes, int count)
{
    unsigned long sum = 0;
    for (int i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3ul;
    return sum;
}

NOINLINE static void array(void)
{
    unsigned char bytes[120];
    tell(hash(bytes, sizeof bytes));
}

NOINLINE static void scalars(void)
{
    unsigned long a, b;
    int c;
    double d;
    tell(a);
    tell(b);
    tell(c);
    tell(d > 1);
}

NOINLINE static void block(int size)
{
    unsigned char *bytes = alloca(size);
    tell(hash(bytes, size));
}

NOINLINE static int deep(int n)
{
    volatile int here[32];
    here[n] = n;
    return n ? deep(n - 1) + here[n] : 0;
}

static void look(void)
{
    scalars();
    array();
    block(60);
}

static void routine(void)
{
    look();
}

static int compare(const void *a, const void *b)
{
    look();
    return *(const int *)a - *(const int *)b;
}

static void destroy(void *unused)
{
    look();
}

static void cleanup(void *unused)
{
    look();
}

static void handler(int number)
{
    look();
}

static void *work(void *argument)
{
    look();
    pthread_setspecific(key, &key);
    pthread_once(&once, routine);
    look();
    pthread_mutex_lock(&lock);
    shared++;
    look();
    pthread_mutex_unlock(&lock);
    look();
    own++;
    deep(20);
    look();
    char text[100];
    snprintf(text, sizeof text, "%d %s %f", 42, "text", 1.5);
    look();
    void *memory = malloc(100);
    look();
    free(memory);
    look();
    raise(SIGUSR1);
    look();
    pthread_cleanup_push(cleanup, NULL);
    if (argument)
        pthread_exit(NULL);
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void)
{
    look();
    pthread_key_create(&key, destroy);
    signal(SIGUSR1, handler);
    int numbers[] = { 3, 1, 2 };
    qsort(numbers, 3, sizeof *numbers, compare);
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    look();
    pthread_create(&b, NULL, work, &b);
    look();
    pthread_mutex_lock(&lock);
    look();
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    look();
    pthread_join(b, NULL);
    look();
    return 0;
}
