// A key that has been deleted is not used any more, nor deleted again.
// leno: cflags=-DORDERED verdict=safe
// leno: cflags= verdict=bug kind=lock message~"gets the value of a key that has been deleted" related~"main deleted it here, line 46"
// leno: cflags="-DORDERED -DLATE" verdict=bug kind=lock message~"sets the value of a key that has been deleted"
// leno: cflags="-DORDERED -DTWICE" verdict=bug kind=lock message~"deletes a key twice, and ignores the error" related~"the same thread deleted it here, line 44"
// leno: cflags="-DORDERED -DAGAIN" verdict=safe
// leno: cflags="-DORDERED -DC11" verdict=safe
// leno: cflags="-DORDERED -DLATE -DC11" verdict=bug kind=lock message~"sets the value of a key that has been deleted"
// leno: cflags=-DC11 verdict=bug kind=lock message~"gets the value of a key that has been deleted"
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#ifdef C11
#define KEY tss_t
#define CREATE(key) tss_create(key, NULL)
#define GET tss_get
#define SET tss_set
#define DELETE tss_delete
#else
#define KEY pthread_key_t
#define CREATE(key) pthread_key_create(key, NULL)
#define GET pthread_getspecific
#define SET pthread_setspecific
#define DELETE pthread_key_delete
#endif

static KEY key;
static int value;

static void *work(void *unused)
{
    return GET(key) ? unused : NULL;
}

int main(void)
{
    pthread_t thread;
    CREATE(&key);
    SET(key, &value);
    pthread_create(&thread, NULL, work, NULL);
#ifdef ORDERED
    pthread_join(thread, NULL);
    DELETE(key);
#else
    DELETE(key);
    pthread_join(thread, NULL);
#endif
#ifdef AGAIN
    CREATE(&key);
    if (GET(key) != NULL)
        abort();
#endif
#ifdef LATE
    SET(key, &value);
#endif
#ifdef TWICE
    DELETE(key);
#endif
    return 0;
}
