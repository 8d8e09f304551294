// Threads insert the same keys into a B-tree and count how often each was. Every node has a
// lock; who goes down takes the child's before it gives the parent's back, and splits full
// nodes on its way. So nobody overtakes, and the traces are the orders in which the root is
// taken. BUG: it gives the parent's back first, and a node may be split meanwhile.
// leno[--symmetry off]: cflags="-DN=2 -DKEYS=4" verdict=safe executions=70
// leno[--symmetry on]: cflags="-DN=2 -DKEYS=4" verdict=safe
// leno[--symmetry off]: cflags="-DN=3 -DKEYS=3" verdict=safe executions=1680
// leno[--symmetry on]: cflags="-DN=3 -DKEYS=3" verdict=safe
// leno[--symmetry off]: cflags="-DN=2 -DKEYS=6 -DBUG" verdict=bug kind=assert
// leno[--symmetry on]: cflags="-DN=2 -DKEYS=6 -DBUG" verdict=bug kind=assert
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { ORDER = 2, FULL = 2 * ORDER - 1 };

struct node {
    pthread_mutex_t lock;
    int count, key[FULL], times[FULL];
    struct node *child[FULL + 1];
};

static struct node root = { PTHREAD_MUTEX_INITIALIZER };

static struct node *new_node(void)
{
    struct node *node = calloc(1, sizeof *node);
    pthread_mutex_init(&node->lock, NULL);
    return node;
}

// Moves the upper half of a full node into a new one; the key between them is given up.
static struct node *split(struct node *node)
{
    struct node *right = new_node();
    right->count = ORDER - 1;
    for (int i = 0; i < ORDER - 1; i++) {
        right->key[i] = node->key[ORDER + i];
        right->times[i] = node->times[ORDER + i];
    }
    for (int i = 0; i < ORDER; i++) {
        right->child[i] = node->child[ORDER + i];
        node->child[ORDER + i] = NULL;
    }
    node->count = ORDER - 1;
    return right;
}

static void split_child(struct node *parent, int place)
{
    struct node *child = parent->child[place];
    struct node *right = split(child);
    for (int i = parent->count; i > place; i--) {
        parent->key[i] = parent->key[i - 1];
        parent->times[i] = parent->times[i - 1];
        parent->child[i + 1] = parent->child[i];
    }
    parent->key[place] = child->key[ORDER - 1];
    parent->times[place] = child->times[ORDER - 1];
    parent->child[place + 1] = right;
    parent->count++;
}

static void split_root(void)
{
    struct node *left = new_node();
    left->count = root.count;
    for (int i = 0; i < FULL; i++) {
        left->key[i] = root.key[i];
        left->times[i] = root.times[i];
    }
    for (int i = 0; i <= FULL; i++) {
        left->child[i] = root.child[i];
        root.child[i] = NULL;
    }
    root.count = 0;
    root.child[0] = left;
    split_child(&root, 0);
}

static void insert(int key)
{
    struct node *node = &root;
    pthread_mutex_lock(&node->lock);
    if (node->count == FULL)
        split_root();
    for (;;) {
        int place = 0;
        while (place < node->count && node->key[place] < key)
            place++;
        if (place < node->count && node->key[place] == key) {
            node->times[place]++;
            break;
        }
        struct node *child = node->child[place];
        if (!child) {
            for (int i = node->count++; i > place; i--) {
                node->key[i] = node->key[i - 1];
                node->times[i] = node->times[i - 1];
            }
            node->key[place] = key;
            node->times[place] = 1;
            break;
        }
#ifdef BUG
        pthread_mutex_unlock(&node->lock);
        pthread_mutex_lock(&child->lock);
        if (child->count == FULL) {
            pthread_mutex_unlock(&child->lock);
            pthread_mutex_lock(&node->lock);
            pthread_mutex_lock(&child->lock);
            split_child(node, place);
            pthread_mutex_unlock(&child->lock);
            continue;
        }
#else
        pthread_mutex_lock(&child->lock);
        if (child->count == FULL) {
            split_child(node, place);
            pthread_mutex_unlock(&child->lock);
            continue;
        }
        pthread_mutex_unlock(&node->lock);
#endif
        node = child;
    }
    pthread_mutex_unlock(&node->lock);
}

static int last;

static void look_through(struct node *node)
{
    if (!node)
        return;
    for (int i = 0; i < node->count; i++) {
        look_through(node->child[i]);
        assert(node->key[i] > last && node->times[i] == N);
        last = node->key[i];
    }
    look_through(node->child[node->count]);
}

static void *work(void *unused)
{
    for (int key = 1; key <= KEYS; key++)
        insert(key);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    look_through(&root);
    assert(last == KEYS);
    return 0;
}
