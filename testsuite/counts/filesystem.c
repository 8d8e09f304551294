// Threads allocate blocks for inodes, each inode and each block with a lock. From 14
// threads on two of them meet at a block.
// leno[--symmetry off]: cflags=-DTHREADS=13 verdict=safe executions=1 blocked=0
// leno[--symmetry off]: cflags=-DTHREADS=14 verdict=safe executions=2 blocked=0
// leno[--symmetry off]: cflags=-DTHREADS=16 verdict=safe executions=8 blocked=0
// leno[--symmetry off]: cflags=-DTHREADS=18 verdict=safe executions=32 blocked=0
// leno[--symmetry off]: cflags=-DTHREADS=20 verdict=safe executions=128 blocked=0
// leno[--symmetry off]: cflags=-DTHREADS=22 verdict=safe executions=512 blocked=0
// leno[--symmetry off --search source]: cflags=-DTHREADS=20 verdict=safe executions=128 blocked=0
#include <pthread.h>

enum { BLOCKS = 26, INODES = 32 };

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES], busy[BLOCKS];

static void *allocate(void *argument)
{
    int i = (int)(long)argument % INODES;
    pthread_mutex_lock(&inode_lock[i]);
    if (inode[i] == 0) {
        for (int b = i * 2 % BLOCKS;; b = (b + 1) % BLOCKS) {
            pthread_mutex_lock(&block_lock[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inode[i] = b + 1;
                pthread_mutex_unlock(&block_lock[b]);
                break;
            }
            pthread_mutex_unlock(&block_lock[b]);
        }
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inode_lock[i], NULL);
    for (int b = 0; b < BLOCKS; b++)
        pthread_mutex_init(&block_lock[b], NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, allocate, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
