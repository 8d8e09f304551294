// Atomics of 1 to 16 bytes: two threads each add 1 by every operation there is. If one of
// them were not atomic, or touched other bytes than its own, a sum would be wrong.
// leno: cflags="-DBITS=8" verdict=safe
// leno: cflags="-DBITS=16 -O2" verdict=safe
// leno: cflags="-DBITS=32" verdict=safe
// leno: cflags="-DBITS=64 -O2" verdict=safe
// leno: cflags="-DBITS=128" verdict=safe
// leno: cflags="-DBITS=128 -O2 -mcx16" verdict=safe
// leno: cflags="-DBITS=8 -DTORN" verdict=bug kind=assert
// leno: cflags="-DBITS=64 -DTORN" verdict=bug kind=assert
// leno: cflags="-DBITS=128 -DTORN" verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if BITS == 128
typedef unsigned __int128 number;
#else
#define TYPE(bits) TYPE_(bits)
#define TYPE_(bits) uint##bits##_t
typedef TYPE(BITS) number;
#endif

static struct {
    number before;
    _Atomic number value;
    number behind;
} shared;
static _Atomic number bits;

static void *count(void *own_bit)
{
    number mine = (number)1 << (long)own_bit;
#ifdef TORN
    atomic_store(&shared.value, atomic_load(&shared.value) + 1);
#else
    atomic_fetch_add(&shared.value, 1);
#endif
    number seen = atomic_load(&shared.value);
    while (!atomic_compare_exchange_weak(&shared.value, &seen, seen + 1))
        ;
    atomic_fetch_or(&bits, mine);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    shared.before = shared.behind = (number)-1;
    pthread_create(&first, NULL, count, (void *)0);
    pthread_create(&second, NULL, count, (void *)(BITS - 1L));
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    number top = (number)1 << (BITS - 1);
    assert(shared.value == 4);
    assert(shared.before == (number)-1 && shared.behind == (number)-1);
    assert(bits == (number)(top | 1));
    assert(atomic_fetch_and(&bits, top) == (number)(top | 1) && bits == top);
    assert(atomic_fetch_xor(&bits, (number)-1) == top && bits == (number)~top);
    assert(atomic_exchange(&bits, 5) == (number)~top && bits == 5);
    assert(atomic_fetch_sub(&bits, 6) == 5 && bits == (number)-1);
    number expected = 3;
    bool exchanged = atomic_compare_exchange_strong(&bits, &expected, 7);
    assert(!exchanged && expected == (number)-1 && bits == (number)-1);
    exchanged = atomic_compare_exchange_strong(&bits, &expected, 7);
    assert(exchanged && bits == 7);
    atomic_store(&bits, top);
    assert(atomic_load(&bits) == top);
    return 0;
}
