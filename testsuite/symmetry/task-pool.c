// A pool as it is in many projects: on the heap, with a list of tasks that are functions with
// an argument. Workers are interchangeable between tasks, and in tasks that are the same.
// leno[--explain-symmetry]: verdict=safe symmetric~"T1 T2 at 34" symmetric~"T1 T2 at 36"
// leno[--symmetry off]: verdict=safe executions=1564
// leno[--symmetry on]: verdict=safe executions=337
#include <pthread.h>
#include <stdlib.h>

struct task {
    void (*function)(void *);
    void *argument;
    struct task *next;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t notify;
    pthread_t *threads;
    struct task *head, *tail;
    int workers, closed;
};

#ifndef WORKERS
#define WORKERS 2
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *run(void *argument) {
    struct pool *pool = argument;
    for (;;) {
        struct task *task;
        pthread_mutex_lock(&pool->lock);
        while (!pool->head && !pool->closed)
            pthread_cond_wait(&pool->notify, &pool->lock);
        if (!pool->head)
            break;
        task = pool->head;
        pool->head = task->next;
        if (!pool->head)
            pool->tail = NULL;
        pthread_mutex_unlock(&pool->lock);
        task->function(task->argument);
        free(task);
    }
    pthread_mutex_unlock(&pool->lock);
    pthread_exit(NULL);
}

static struct pool *open_pool(int workers) {
    struct pool *pool = calloc(1, sizeof *pool);
    pool->threads = malloc(workers * sizeof *pool->threads);
    pool->workers = workers;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->notify, NULL);
    for (int i = 0; i < workers; i++)
        pthread_create(&pool->threads[i], NULL, run, pool);
    return pool;
}

static void add(struct pool *pool, void (*function)(void *), void *argument) {
    struct task *task = malloc(sizeof *task);
    *task = (struct task){function, argument, NULL};
    pthread_mutex_lock(&pool->lock);
    if (pool->tail)
        pool->tail->next = task;
    else
        pool->head = task;
    pool->tail = task;
    pthread_cond_signal(&pool->notify);
    pthread_mutex_unlock(&pool->lock);
}

static void close_pool(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->closed = 1;
    pthread_cond_broadcast(&pool->notify);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->workers; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->notify);
    free(pool->threads);
    free(pool);
}

static void job(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    done++;
    pthread_mutex_unlock(&m);
}

int main(void) {
    struct pool *pool = open_pool(WORKERS);
    for (int i = 0; i < 2; i++)
        add(pool, job, NULL);
    close_pool(pool);
    return done != 2;
}
