// Every atomic operation in every size, by several threads at once. Prints nothing
// that depends on the interleaving.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 2000 };

#define EACH(X)                                                                        \
    X(uint8_t, u8) X(uint16_t, u16) X(uint32_t, u32) X(uint64_t, u64) X(int8_t, i8)    \
    X(int16_t, i16) X(int32_t, i32) X(int64_t, i64)

#define DECLARE(type, name)                                                            \
    static _Atomic type add_##name, sub_##name, and_##name = -1, or_##name, xor_##name, \
        cas_##name, lock_##name;                                                       \
    static type max_##name, min_##name, nand_##name;                                   \
    static int guarded_##name;
EACH(DECLARE)

static _Atomic(float) sum_f;
static _Atomic(double) sum_d;
static _Atomic(char *) pointer;
static char memory[THREADS * ROUNDS + 1];
static atomic_flag flag = ATOMIC_FLAG_INIT;
static atomic_bool truth;
static int flagged;

static void *worker(void *argument) {
    int number = (int)(long)argument;
    for (int i = 0; i < ROUNDS; i++) {
#define WORK(type, name)                                                                \
    {                                                                                   \
        atomic_fetch_add(&add_##name, 3);                                               \
        atomic_fetch_sub_explicit(&sub_##name, 5, memory_order_relaxed);                \
        atomic_fetch_and_explicit(&and_##name, (type)~(1 << number), memory_order_acquire); \
        atomic_fetch_or_explicit(&or_##name, (type)(1 << number), memory_order_release); \
        atomic_fetch_xor_explicit(&xor_##name, (type)(i + number), memory_order_acq_rel); \
        __atomic_fetch_max(&max_##name, (type)(i % 100 - 50), __ATOMIC_SEQ_CST);        \
        __atomic_fetch_min(&min_##name, (type)(i % 100 - 50), __ATOMIC_SEQ_CST);        \
        type seen = atomic_load_explicit(&cas_##name, memory_order_relaxed);            \
        while (!atomic_compare_exchange_weak(&cas_##name, &seen, (type)(seen + 7)))     \
            ;                                                                           \
        while (atomic_exchange(&lock_##name, 1))                                        \
            ;                                                                           \
        guarded_##name++;                                                               \
        atomic_store_explicit(&lock_##name, 0, memory_order_release);                   \
    }
        EACH(WORK)
        float f = atomic_load(&sum_f);
        while (!atomic_compare_exchange_strong(&sum_f, &f, f + 1))
            ;
        double d = atomic_load(&sum_d);
        while (!atomic_compare_exchange_strong_explicit(&sum_d, &d, d + 0.5,
                                                        memory_order_seq_cst,
                                                        memory_order_relaxed))
            ;
        *atomic_fetch_add(&pointer, 1) = 'x';
        while (atomic_flag_test_and_set(&flag))
            ;
        flagged++;
        atomic_flag_clear(&flag);
        atomic_store(&truth, i % 2);
        atomic_thread_fence(memory_order_seq_cst);
        atomic_signal_fence(memory_order_seq_cst);
    }
    return NULL;
}

int main(void) {
    atomic_store(&pointer, memory);
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
#define SHOW(type, name)                                                                \
    nand_##name = 12;                                                                   \
    type old_##name = __atomic_fetch_nand(&nand_##name, 10, __ATOMIC_SEQ_CST);          \
    printf("%s %lld %lld %lld %lld %lld %lld %lld %lld %lld %lld %d\n", #name,          \
           (long long)add_##name, (long long)sub_##name, (long long)and_##name,         \
           (long long)or_##name, (long long)xor_##name, (long long)cas_##name,          \
           (long long)max_##name, (long long)min_##name, (long long)nand_##name,        \
           (long long)old_##name, guarded_##name);
    EACH(SHOW)
    int written = 0;
    for (int i = 0; i < THREADS * ROUNDS; i++) written += memory[i] == 'x';
    printf("%g %g %d %ld %d %d\n", (double)sum_f, (double)sum_d, written, (long)(pointer - memory), flagged, truth);
    return 0;
}
