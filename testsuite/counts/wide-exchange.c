// N threads exchange a pointer with its count, 16 bytes, as stacks do against ABA. How such
// an exchange comes out in another place is foreseen like that of a smaller one.
// leno[--symmetry off]: cflags="-DN=2 -mcx16" verdict=safe executions=4 blocked=0
// leno[--symmetry off]: cflags="-DN=3 -mcx16" verdict=safe executions=48 blocked=0
// leno[--symmetry off]: cflags="-DN=4 -mcx16" verdict=safe executions=1536 blocked=0
// leno[--symmetry off --search source]: cflags="-DN=4 -mcx16" verdict=safe executions=1536
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

typedef unsigned __int128 wide;
static _Alignas(16) wide top;

static void *push(void *element)
{
    wide old = __atomic_load_n(&top, __ATOMIC_SEQ_CST), new;
    do
        new = ((old >> 64) + 1) << 64 | (uintptr_t)element;
    while (!__atomic_compare_exchange_n(&top, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    static int elements[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, push, &elements[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(top >> 64 == N);
    return 0;
}
