// What assembly does to shared memory cannot be seen.
// leno: verdict=unknown
#include <pthread.h>

static int counter;

static void *count(void *unused)
{
    __asm__ volatile("incl %0" : "+m"(counter));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    counter++;
    pthread_join(thread, NULL);
    return 0;
}
