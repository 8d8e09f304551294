// main holds a lock and joins two threads of one kind. Whoever of them comes first never ends,
// the other one wants the lock. If that is the one that main joins first, the two wait for each
// other: a deadlock of its own. If it is the other, main only waits for a thread that has
// failed. So it matters whom main joins first, once somebody is joined in vain.
// leno[--symmetry off --keep-going]: verdict=bug kind=deadlock bugs=2 coverage=exhaustive
// leno[--symmetry on --keep-going]: verdict=bug kind=deadlock bugs=2 coverage=exhaustive
// The same if the first one is only assumed not to come that far.
// leno[--symmetry off]: cflags=-DASSUMED verdict=bug kind=deadlock
// leno[--symmetry on]: cflags=-DASSUMED verdict=bug kind=deadlock
// leno[--symmetry on --keep-going]: cflags=-DBACKWARDS verdict=bug kind=deadlock bugs=2 coverage=exhaustive
// leno[--symmetry on]: cflags="-DASSUMED -DBACKWARDS" verdict=bug kind=deadlock
#include <assert.h>
#include <leno.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef ASSUMED
#define MUST leno_assume
#else
#define MUST assert
#endif

static atomic_int coming;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *come(void *unused) {
    MUST(atomic_fetch_add(&coming, 1) != 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_t t[2];
    pthread_mutex_lock(&m);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, come, NULL);
#ifdef BACKWARDS
    pthread_join(t[1], NULL);
    pthread_join(t[0], NULL);
#else
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
#endif
    pthread_mutex_unlock(&m);
}
