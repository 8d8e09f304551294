/* Userspace RCU: a reader and an updater that frees what it has replaced, after a grace
   period. Without -DNO_WAIT the reader never sees a freed block. */
#define _LGPL_SOURCE
#define RCU_MB
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu.h>

struct config {
    int value, copy;
};

static struct config *current;

static struct config *make(int value)
{
    struct config *config = malloc(sizeof *config);
    config->value = config->copy = value;
    return config;
}

static void *read_it(void *unused)
{
    rcu_register_thread();
    rcu_read_lock();
    struct config *config = rcu_dereference(current);
    assert(config->value == config->copy);
    rcu_read_unlock();
    rcu_unregister_thread();
    return unused;
}

static void *update(void *unused)
{
    struct config *old = rcu_xchg_pointer(&current, make(2));
#ifndef NO_WAIT
    synchronize_rcu();
#endif
    free(old);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    current = make(1);
    pthread_create(&a, NULL, read_it, NULL);
    pthread_create(&b, NULL, update, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(current->value == 2);
    return 0;
}
