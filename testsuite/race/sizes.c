// Accesses of different sizes conflict where they have a byte in common, aligned or not.
// leno: cflags="-DWRITE=bytes[3]" verdict=bug kind=race object~data
// leno: cflags="-DWRITE=bytes[3] -O2" verdict=bug kind=race object~data
// leno: cflags="-DWRITE=bytes[4]" verdict=safe executions=1
// leno: cflags="-DWRITE=bytes[4] -O2" verdict=safe executions=1
// leno: cflags="-DWRITE=at_3.word" verdict=bug kind=race object~data
// leno: cflags="-DWRITE=at_3.word -O2" verdict=bug kind=race object~data
// leno: cflags="-DWRITE=at_5.word" verdict=safe executions=1
// leno: cflags="-DWRITE=at_1.half" verdict=bug kind=race object~data
// leno: cflags="-DWRITE=all" verdict=bug kind=race object~data
#include <pthread.h>
#include <stdint.h>

static union {
    unsigned char bytes[16];
    uint32_t word;
    uint64_t all;
    struct __attribute__((packed)) {
        char before[1];
        uint16_t half;
    } at_1;
    struct __attribute__((packed)) {
        char before[3];
        uint32_t word;
    } at_3;
    struct __attribute__((packed)) {
        char before[5];
        uint32_t word;
    } at_5;
} data;

static void *write_some(void *unused)
{
    data.WRITE = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_some, NULL);
    uint32_t seen = data.word;
    pthread_join(thread, NULL);
    return seen > 1u << 24;
}
