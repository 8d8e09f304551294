// An atomic access to memory that another thread may have given back. It faults where leno
// looks what it will find, and is an event all the same: the other order is tried.
// leno[--property crash]: verdict=bug kind=crash message~SIGSEGV
// leno[--property crash --search source]: verdict=bug kind=crash
// leno[--property crash --record-all]: verdict=bug kind=crash
// leno[--property crash --isolate]: verdict=bug kind=crash
// leno: verdict=bug kind=race
// leno[--property crash]: cflags=-DNULLED verdict=bug kind=crash
// leno[--property crash --record-all]: cflags=-DNULLED verdict=bug kind=crash
// leno[--property crash --record-all]: cflags=-DWAITS verdict=safe
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

static atomic_int *word;

static void *use(void *unused)
{
    atomic_fetch_add(word, 1);
    return unused;
}

int main(void)
{
    pthread_t user;
    word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    atomic_int *mapped = word;
#ifdef NULLED
    word = NULL;
#endif
    pthread_create(&user, NULL, use, NULL);
#ifdef WAITS
    pthread_join(user, NULL);
#endif
    atomic_fetch_add(mapped, 1);
    munmap(mapped, 4096);
#ifndef WAITS
    pthread_join(user, NULL);
#endif
    return 0;
}
