/* Concurrency Kit: a ring for one producer and one consumer keeps order and content. */
#include <ck_ring.h>

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int items[2];

static void *produce(void *unused)
{
    for (int i = 0; i < 2; i++) {
        items[i] = 5 + i;
        assert(ck_ring_enqueue_spsc(&ring, buffer, &items[i]));
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    ck_ring_init(&ring, 4);
    pthread_create(&thread, NULL, produce, NULL);
    for (int i = 0; i < 2;) {
        void *item;
        if (ck_ring_dequeue_spsc(&ring, buffer, &item)) {
            assert(item == &items[i] && items[i] == 5 + i);
            i++;
        }
    }
    pthread_join(thread, NULL);
    return 0;
}
