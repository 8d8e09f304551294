// Atomics of 16 bytes and of sizes that only libatomic can do.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 2000 };

struct pair { uint64_t first, second; };
struct triple { int32_t a, b, c; };
struct big { uint64_t words[3]; };

static _Atomic struct pair pair;
static _Atomic struct triple triple;
static _Atomic struct big big;
static _Atomic __int128 sum;
static _Atomic int torn;

static void *worker(void *argument) {
    for (int i = 0; i < ROUNDS; i++) {
        struct pair seen = atomic_load(&pair), wanted;
        do {
            if (seen.second != 3 * seen.first) torn++;
            wanted.first = seen.first + 1;
            wanted.second = seen.second + 3;
        } while (!atomic_compare_exchange_weak(&pair, &seen, wanted));
        struct triple old = atomic_exchange(&triple, ((struct triple){i, i, i}));
        if (old.a != old.b || old.b != old.c) torn++;
        struct big three = {{i, i + 1, i + 2}};
        atomic_store(&big, three);
        three = atomic_load(&big);
        if (three.words[1] != three.words[0] + 1) torn++;
        atomic_fetch_add(&sum, (__int128)1 << 62);
        atomic_fetch_xor(&sum, 0);
        atomic_fetch_or(&sum, 0);
    }
    return argument;
}

int main(void) {
    big = (struct big){{0, 1, 2}};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    struct pair last = pair;
    __int128 total = sum;
    printf("%lu %lu %d %lx %lx\n", last.first, last.second, torn, (long)(total >> 64), (long)total);
    return 0;
}
