// leno: verdict=bug kind=lock message="unlocks a mutex that nobody holds"
// leno[--property lock]: cflags=-DTRY verdict=bug kind=lock message="unlocks a mutex that nobody holds"
// leno[--property lock --search source]: cflags=-DTRY verdict=bug kind=lock message~"does not hold"
// leno: cflags="-DTRY -DLOOK" verdict=safe
#include <pthread.h>

static pthread_spinlock_t s;
static int count;

static void *work(void *unused)
{
#ifdef TRY
    int failed = pthread_spin_trylock(&s);
#ifdef LOOK
    if (failed)
        return unused;
#endif
    (void)failed;
    count++;
#endif
    pthread_spin_unlock(&s);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
