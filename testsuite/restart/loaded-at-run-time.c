// A library that main loads is not there when main starts.
// leno[--symmetry off]: verdict=safe executions=2
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double (*function)(double);

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(function(0) == 0);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    assert(!dlopen("libanl.so.1", RTLD_NOW | RTLD_NOLOAD));
    assert(dlopen("libanl.so.1", RTLD_NOW));
    void *library = dlopen("libm.so.6", RTLD_NOW);
    function = (double (*)(double))dlsym(library, "sin");
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
