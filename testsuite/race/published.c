// Data is handed over by a flag. Whether that is a race is a matter of the flag.
// leno: cflags=-DPLAIN verdict=bug kind=race
// leno: cflags="-DPLAIN -O2" verdict=bug kind=race
// leno: cflags=-DVOLATILE verdict=bug kind=race
// leno: cflags="-DVOLATILE -O2" verdict=bug kind=race
// leno: cflags="-DSTORE=relaxed -DLOAD=relaxed" verdict=bug kind=race object=data
// leno: cflags="-DSTORE=relaxed -DLOAD=acquire" verdict=bug kind=race object=data
// leno: cflags="-DSTORE=release -DLOAD=relaxed -O2" verdict=bug kind=race object=data
// leno: cflags="-DSTORE=release -DLOAD=acquire" verdict=safe executions=2
// leno: cflags="-DSTORE=release -DLOAD=acquire -O2" verdict=safe executions=2
// leno: cflags="-DSTORE=seq_cst -DLOAD=seq_cst" verdict=safe executions=2
// leno: cflags="-DSTORE=relaxed -DLOAD=relaxed -DRELEASE" verdict=bug kind=race object=data
// leno: cflags="-DSTORE=relaxed -DLOAD=relaxed -DACQUIRE" verdict=bug kind=race object=data
// leno: cflags="-DSTORE=relaxed -DLOAD=relaxed -DRELEASE -DACQUIRE" verdict=safe executions=2
// leno: cflags="-DSTORE=relaxed -DLOAD=relaxed -DRELEASE -DACQUIRE -O2" verdict=safe executions=2
// leno: cflags="-DSTORE=relaxed -DLOAD=acquire -DRELEASE" verdict=safe executions=2
// leno: cflags="-DSTORE=release -DLOAD=relaxed -DACQUIRE" verdict=safe executions=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;

#if defined PLAIN
static int ready;
#define SET ready = 1
#define GET ready
#elif defined VOLATILE
static volatile int ready;
#define SET ready = 1
#define GET ready
#else
static atomic_int ready;
#define ORDER(name) ORDER_(name)
#define ORDER_(name) memory_order_##name
#define SET atomic_store_explicit(&ready, 1, ORDER(STORE))
#define GET atomic_load_explicit(&ready, ORDER(LOAD))
#endif

static void *publish(void *unused)
{
    data = 42;
#ifdef RELEASE
    atomic_thread_fence(memory_order_release);
#endif
    SET;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, publish, NULL);
    if (GET) {
#ifdef ACQUIRE
        atomic_thread_fence(memory_order_acquire);
#endif
        assert(data == 42);
    }
    pthread_join(thread, NULL);
    return 0;
}
