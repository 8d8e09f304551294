// Two threads keep each other going by attempts at each other's locks, but one of them leaves
// something behind in each round: a count, a post, a lock that it holds once more. So they are not
// back where they were, and what comes after the third round is run.
// leno: cflags=-DCOUNTS verdict=bug kind=assert
// leno[--search source]: cflags=-DCOUNTS verdict=bug kind=assert
// leno: cflags=-DPOSTS verdict=bug kind=assert
// leno: cflags=-DHOLDS verdict=bug kind=assert
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t held = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static sem_t posts;
static atomic_int count;

static int round_in_vain(int first)
{
    pthread_mutex_lock(&locks[first]);
    int failed = pthread_mutex_trylock(&locks[1 - first]);
    if (!failed)
        pthread_mutex_unlock(&locks[1 - first]);
    pthread_mutex_unlock(&locks[first]);
    return failed;
}

static void *plain(void *unused)
{
    while (round_in_vain(0)) {
    }
    return unused;
}

static void leaves_behind(void)
{
#if defined COUNTS
    assert(atomic_fetch_add(&count, 1) < 2);
#elif defined POSTS
    sem_post(&posts);
#else
    pthread_mutex_lock(&held);
#endif
}

static void *leaving(void *unused)
{
    while (round_in_vain(1))
        leaves_behind();
#ifdef HOLDS
    int depth = 0;
    while (pthread_mutex_unlock(&held) == 0)
        depth++;
    assert(depth < 3);
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&posts, 0, 0);
    pthread_create(&a, 0, plain, 0);
    pthread_create(&b, 0, leaving, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef POSTS
    int value;
    sem_getvalue(&posts, &value);
    assert(value < 3);
#endif
    return atomic_load(&count) < 0;
}
