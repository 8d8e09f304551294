// A loop that gives up after some rounds, and keeps the count where no variable is: the thread
// comes back to where it was in another state.
// leno: verdict=safe
// leno: cflags=-DKIND=1 verdict=safe
// leno: cflags=-DKIND=2 verdict=safe
// leno: cflags=-DKIND=3 verdict=safe
// leno: cflags=-DKIND=4 verdict=safe
// leno: cflags=-DKIND=5 verdict=bug kind=termination
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t rounds;

static int again(void)
{
#if KIND == 1
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before == PTHREAD_CANCEL_ENABLE;
#elif KIND == 2
    mode_t mask = umask(0);
    umask(mask + 1);
    return mask < 030;
#elif KIND == 3
    char path[4096];
    return chdir("..") == 0 && getcwd(path, sizeof path) && path[1] != 0;
#elif KIND == 4
    int flags = fcntl(0, F_GETFD);
    fcntl(0, F_SETFD, !flags);
    return flags == 0;
#elif KIND == 5
    // Everything is put back.
    void *before = pthread_getspecific(rounds);
    pthread_setspecific(rounds, &lock);
    pthread_setspecific(rounds, before);
    return before == 0;
#else
    long count = (long)pthread_getspecific(rounds);
    pthread_setspecific(rounds, (void *)(count + 1));
    return count < 3;
#endif
}

static void *tries(void *unused)
{
    while (pthread_mutex_trylock(&lock) != 0 && again()) {
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&rounds, 0);
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, tries, 0);
    pthread_join(thread, 0);
    return 0;
}
