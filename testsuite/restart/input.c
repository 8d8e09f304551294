// Standard input begins anew in each execution; here it is empty, or a 7.
// leno: verdict=bug kind=assert
// leno[--symmetry off]: cflags=-DEMPTY verdict=safe executions=2
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    int number = 0;
    int found = scanf("%d", &number);
#ifdef EMPTY
    assert(found == EOF);
#else
    assert(found == 1 && number == 7);
    assert(getchar() == '\n' && getchar() == EOF);
    assert(lseek(0, 0, SEEK_CUR) == 2);
#endif
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
