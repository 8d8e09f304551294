// The ticket lock of ../counts with the operations in assembly: the same executions.
// leno[--symmetry off]: cflags="-DN=2 -O1" verdict=safe executions=2 blocked=2
// leno[--symmetry off]: cflags="-DN=3 -O1" verdict=safe executions=6 blocked=24
// leno: cflags="-DN=2 -DEARLY" verdict=bug kind=race object=inside
#include <assert.h>
#include <pthread.h>

static int next_ticket, served;
static int inside;

static int draw(int *from)
{
    int ticket = 1;
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(ticket), "+m"(*from) : : "memory", "cc");
    return ticket;
}

static int look(const int *at)
{
    int value;
    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*at) : "memory");
    return value;
}

static void serve(int *at, int value)
{
    __asm__ volatile("movl %1, %0" : "=m"(*at) : "ir"(value) : "memory");
}

static void *enter(void *unused)
{
    int ticket = draw(&next_ticket);
    while (look(&served) != ticket)
        __asm__ volatile("pause" ::: "memory");
#ifdef EARLY
    serve(&served, ticket + 1);
#endif
    inside++;
    assert(inside == 1);
    inside--;
#ifndef EARLY
    serve(&served, ticket + 1);
#endif
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, enter, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
