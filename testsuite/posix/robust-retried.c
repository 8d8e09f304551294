// A loop that locks a robust mutex until nobody holds it who has died is no loop that only
// repeats itself: by unlocking it, the thread has made it consistent, or lost it for ever.
// LIVES: until somebody has died. NEVER: nobody does.
// leno: verdict=safe
// leno: cflags=-DHEALS verdict=safe
// leno: cflags=-DLIVES verdict=safe
// leno: cflags="-DLIVES -DNEVER" verdict=bug kind=termination
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *die(void *unused)
{
    pthread_mutex_lock(&mutex);
#ifdef NEVER
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

static void *retry(void *unused)
{
    for (;;) {
        int error = pthread_mutex_lock(&mutex);
        if (error == ENOTRECOVERABLE)
            break;
        if (error == EOWNERDEAD) {
#ifdef HEALS
            pthread_mutex_consistent(&mutex);
#endif
            pthread_mutex_unlock(&mutex);
            continue;
        }
        pthread_mutex_unlock(&mutex);
#ifndef LIVES
        break;
#endif
    }
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_t a, b;
    pthread_create(&a, NULL, die, NULL);
    pthread_create(&b, NULL, retry, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
