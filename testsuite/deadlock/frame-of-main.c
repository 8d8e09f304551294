// Threads use a local variable of main's, which returns without them. It keeps its value: what
// runs when main has returned leaves its frame alone, or nobody would know to try the threads
// before it.
// leno[--property deadlock]: verdict=bug kind=deadlock coverage=bounded
// leno[--property deadlock --search source]: verdict=bug kind=deadlock
// leno[--property deadlock --search naive]: verdict=bug kind=deadlock
// leno[--property deadlock --isolate]: verdict=bug kind=deadlock
// leno[--property assert]: cflags=-DLATE verdict=safe
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t fork_of[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *seat)
{
    int left = *(int *)seat;
#ifdef LATE
    assert(left == 0 || left == 1);
#endif
    pthread_mutex_lock(&fork_of[left]);
    pthread_mutex_lock(&fork_of[1 - left]);
    pthread_mutex_unlock(&fork_of[1 - left]);
    pthread_mutex_unlock(&fork_of[left]);
    return NULL;
}

static void clear_up(void)
{
    char text[4096];
    snprintf(text, sizeof text, "%d", 7);
}

int main(void)
{
    pthread_t first, second;
    int seat = 0;
    atexit(clear_up);
    pthread_create(&first, NULL, dine, &seat);
    seat = 1;
    pthread_create(&second, NULL, dine, &seat);
    return 0;
}
