// The kernel writes to memory that nobody has written before.
// leno: verdict=safe
#include <assert.h>
#include <pthread.h>
#include <sys/utsname.h>

static struct utsname names;

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    assert(uname(&names) == 0 && names.sysname[0] != 0);
    pthread_join(thread, NULL);
    return 0;
}
