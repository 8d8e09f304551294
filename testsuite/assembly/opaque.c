// What assembly does through an address in a register is known only if all of its instructions
// are, also if the address comes as a number.
// leno: verdict=unknown unseen~asm
// leno: cflags=-DNUMBER verdict=unknown unseen~asm
// leno[--unseen ignore]: verdict=safe
#include <pthread.h>

static int counter;

static void *count(void *unused)
{
#ifdef NUMBER
    __asm__ volatile("rorl $1, (%0)" : : "r"((unsigned long)&counter) : "memory");
#else
    __asm__ volatile("rorl $1, (%0)" : : "r"(&counter) : "memory");
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
