// Much computing and hardly an event: what the frame records and the hooks of private memory
// cost. `make bench` runs it without leno, beside the same program as clang makes it.
// leno[--symmetry off]: args="10" verdict=safe executions=1
#include <pthread.h>
#include <stdlib.h>

static long calls(long n) { return n < 2 ? n : calls(n - 1) + calls(n - 2); }

static long arithmetic(long n) {
    unsigned long x = 88172645463325252UL, sum = 0;
    for (long i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        sum += x % 7;
    }
    return (long)sum;
}

static long memory(long n) {
    long *table = calloc(1024, sizeof *table), sum = 0;
    for (long i = 0; i < n; i++)
        table[i * 7 % 1024] += i;
    for (int i = 0; i < 1024; i++)
        sum += table[i];
    free(table);
    return sum;
}

static void *work(void *arg) {
    long n = (long)arg;
    long kind = n / 1000;
    n %= 1000;
    if (kind == 0) return (void *)calls(n);
    return (void *)(kind == 1 ? arithmetic(n * 1000000) : memory(n * 1000000));
}

int main(int argc, char **argv) {
    pthread_t t;
    pthread_create(&t, 0, work, (void *)(argc > 1 ? atol(argv[1]) : 10));
    pthread_join(t, 0);
    return 0;
}
