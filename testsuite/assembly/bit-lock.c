// A lock that is one bit of a word, as kernels have it; the others are somebody else's.
// leno: verdict=safe
// leno: cflags=-DWRONG verdict=bug kind=race object=data
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static unsigned long word = 1;
static int data;

static bool set_bit(unsigned long *at, long bit)
{
    bool was;
    __asm__ volatile("lock; btsq %2, %1; setc %0" : "=q"(was), "+m"(*at) : "Ir"(bit) : "memory", "cc");
    return was;
}

static void clear_bit(unsigned long *at, long bit)
{
    __asm__ volatile("lock; btrq %1, %0" : "+m"(*at) : "Ir"(bit) : "memory", "cc");
}

static void *count(void *unused)
{
#ifdef WRONG
    /* That it was set is good news only to those who are confused. */
    if (set_bit(&word, 5))
#else
    while (set_bit(&word, 5))
#endif
        __asm__ volatile("rep; nop" ::: "memory");
    data++;
    clear_bit(&word, 5);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(data == 2 && word == 1);
    return 0;
}
