// An attempt at a mutex of threads.h fails while another thread has it.
// leno: cflags=-DCAREFUL=1 verdict=safe
// leno: cflags=-DCAREFUL=0 verdict=bug kind=assert
#include <assert.h>
#include <threads.h>

static mtx_t mutex;
static int counter;

static int count(void *unused)
{
    (void)unused;
    mtx_lock(&mutex);
    counter++;
    mtx_unlock(&mutex);
    return 0;
}

int main(void)
{
    thrd_t thread;
    mtx_init(&mutex, mtx_plain);
    thrd_create(&thread, count, NULL);
    int result = mtx_trylock(&mutex);
    assert(result == thrd_success || (CAREFUL && result == thrd_busy));
    if (result == thrd_success) {
        counter++;
        mtx_unlock(&mutex);
    }
    thrd_join(thread, NULL);
    return 0;
}
