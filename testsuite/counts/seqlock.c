// A writer makes the sequence number odd while it writes; a reader that meets that, or a
// change, tries again.
// leno[--symmetry off]: cflags=-DWRITES=1 verdict=safe executions=2 blocked=9
// leno[--symmetry off]: cflags=-DWRITES=2 verdict=safe executions=3 blocked=34
// leno[--symmetry off --search source]: cflags=-DWRITES=1 verdict=safe executions=2
// leno[--symmetry off --search source]: cflags=-DWRITES=2 verdict=safe executions=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sequence, low, high;

static void *write_both(void *unused)
{
    for (int i = 1; i <= WRITES; i++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&low, i);
        atomic_store(&high, i);
        atomic_fetch_add(&sequence, 1);
    }
    return unused;
}

static void *read_both(void *unused)
{
    for (;;) {
        int before = atomic_load(&sequence);
        if (before % 2)
            continue;
        int a = atomic_load(&low), b = atomic_load(&high);
        if (atomic_load(&sequence) == before) {
            assert(a == b);
            return unused;
        }
    }
}

int main(void)
{
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_both, NULL);
    pthread_create(&reader, NULL, read_both, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
