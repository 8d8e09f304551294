// An atomic update that puts back what it found, and a plain read: a data race, although the
// order of the two makes no difference and is not explored.
// leno: verdict=bug kind=race object=word executions=1
// leno: cflags=-DADDS verdict=bug kind=race object=word
// leno: cflags=-DCOMPARES verdict=bug kind=race object=word
// leno[--search naive]: verdict=bug kind=race object=word
// leno: cflags=-DATOMIC verdict=safe executions=1
// leno: cflags=-DFAILS verdict=safe
#include <pthread.h>
#include <stddef.h>

static int word;

static void *update(void *unused)
{
#if defined ADDS
    __atomic_fetch_add(&word, 0, __ATOMIC_SEQ_CST);
#elif defined COMPARES
    int expected = 0;
    __atomic_compare_exchange_n(&word, &expected, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
#elif defined FAILS
    int expected = 1;
    __atomic_compare_exchange_n(&word, &expected, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
#else
    __atomic_exchange_n(&word, 0, __ATOMIC_SEQ_CST);
#endif
    return unused;
}

static void *look(void *unused)
{
#ifdef ATOMIC
    return __atomic_load_n(&word, __ATOMIC_SEQ_CST) ? unused : NULL;
#else
    return word ? unused : NULL;
#endif
}

int main(void)
{
    pthread_t updater, reader;
    pthread_create(&updater, NULL, update, NULL);
    pthread_create(&reader, NULL, look, NULL);
    pthread_join(updater, NULL);
    pthread_join(reader, NULL);
    return 0;
}
