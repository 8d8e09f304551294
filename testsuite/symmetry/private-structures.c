// What only a thread itself can reach is walked: lists, trees, rings of the same shape with
// the same content are the same, wherever they lie. At their end the threads have lost theirs,
// and blocks that are lost tell nobody apart; unless one is hidden in a number.
// leno[--explain-symmetry]: cflags="-DSHAPE=list" verdict=safe symmetric="T1 T2 at 63, T1 T2 at 0"
// leno[--explain-symmetry]: cflags="-DSHAPE=tree" verdict=safe symmetric="T1 T2 at 63, T1 T2 at 0"
// leno[--explain-symmetry]: cflags="-DSHAPE=ring" verdict=safe symmetric="T1 T2 at 63, T1 T2 at 0"
// leno[--explain-symmetry]: cflags="-DSHAPE=list -DHIDDEN" verdict=safe symmetric="T1 T2 at 61" apart~"T1 T2 at 0: state heap block"
// One list is longer; one tree leans to the other side; one ring has another entry.
// leno[--explain-symmetry]: cflags="-DSHAPE=list -DLONGER=1" verdict=safe symmetric="T1 T2 at 0" apart~"what p in worker leads to"
// leno[--explain-symmetry]: cflags="-DSHAPE=tree -DLEANING=1" verdict=safe symmetric="T1 T2 at 0" apart~"what p in worker leads to"
// leno[--explain-symmetry]: cflags="-DSHAPE=ring -DENTRY=1" verdict=safe symmetric="T1 T2 at 0" apart~"what p in worker leads to"
#include <pthread.h>
#include <stdlib.h>

#ifndef LONGER
#define LONGER 0
#endif
#ifndef LEANING
#define LEANING 0
#endif
#ifndef ENTRY
#define ENTRY 0
#endif

struct node {
    struct node *left, *right;
    long value;
};

static long x;
static unsigned long hidden;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static struct node *node(struct node *left, struct node *right, long value) {
    struct node *n = malloc(sizeof *n);
    *n = (struct node){left, right, value};
    return n;
}

static struct node *list(long id) {
    struct node *p = node(0, node(0, 0, 2), 1);
    return id * LONGER ? node(0, p, 0) : p;
}

static struct node *tree(long id) {
    struct node *leaf = node(0, 0, 3);
    return id * LEANING ? node(leaf, 0, 1) : node(0, leaf, 1);
}

static struct node *ring(long id) {
    struct node *a = node(0, 0, 1), *b = node(a, a, 2);
    a->left = a->right = b;
    a->value += id * ENTRY;
    return a;
}

static void *worker(void *arg) {
    struct node *p = SHAPE((long)arg);
    arg = 0;
#ifdef HIDDEN
    pthread_mutex_lock(&m), hidden ^= ~(unsigned long)p, pthread_mutex_unlock(&m);
#else
    pthread_mutex_lock(&m), x += p->value, pthread_mutex_unlock(&m);
#endif
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
