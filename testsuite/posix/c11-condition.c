// A waiter that was woken finds what another one has left: `if` is not enough.
// leno: cflags="-DLOOK=while -DWAKE=cnd_signal" verdict=safe
// leno: cflags="-DLOOK=while -DWAKE=cnd_broadcast" verdict=safe
// leno: cflags="-DLOOK=if -DWAKE=cnd_signal" verdict=bug kind=assert message~"items > 0"
// leno: cflags="-DLOOK=if -DWAKE=cnd_broadcast" verdict=bug kind=assert message~"items > 0"
#include <assert.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t filled;
static int items;

static int take(void *unused)
{
    (void)unused;
    mtx_lock(&mutex);
    LOOK (items == 0)
        cnd_wait(&filled, &mutex);
    assert(items > 0);
    items--;
    mtx_unlock(&mutex);
    return 0;
}

int main(void)
{
    thrd_t a, b;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&filled);
    thrd_create(&a, take, NULL);
    thrd_create(&b, take, NULL);
    for (int i = 0; i < 2; i++) {
        mtx_lock(&mutex);
        items++;
        WAKE(&filled);
        mtx_unlock(&mutex);
    }
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    return 0;
}
