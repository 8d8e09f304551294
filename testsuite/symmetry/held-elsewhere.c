// The first worker has shown an address of its own to somebody, who has kept it where only he
// finds it: that tells the workers apart as long as he may come back to it.
// leno[--explain-symmetry]: verdict=safe symmetric~"T1 T2 at 59"
// In a variable of main's; in its thread-local storage; in an array of variable length; in the
// result of a thread that has ended.
// leno[--explain-symmetry --max-executions 60]: cflags="-DVARIABLE" apart~"T1 T2 at 59: referenced p: refers to T1 or T2"
// leno[--explain-symmetry --max-executions 60]: cflags="-DLOCAL" apart~"T1 T2 at 59: referenced local of main: refers to T1 or T2"
// leno[--explain-symmetry --max-executions 60]: cflags="-DARRAY" apart~"T1 T2 at 59: referenced the stack of main"
// leno[--explain-symmetry --max-executions 60]: cflags="-DRESULT" apart~"referenced the result of T3 leads to T1 or T2" apart~"T1 T2 at 60: lock one of them waits in a loop in another way"
// In a variable of main's that main itself needs no more, but both workers know.
// leno[--explain-symmetry --max-executions 60]: cflags="-DKNOWN" apart~"T1 T2 at 59: referenced box: refers to T1 or T2"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready, go, leave;
static int *_Atomic where;
static int x, y;
static __thread int *local;

static void look(const int *p)
{
    pthread_mutex_lock(&m);
    y += *p;
    pthread_mutex_unlock(&m);
}

static void *take(void *then)
{
    int *p = atomic_exchange(&where, NULL);
    if (then)
        sem_post(then);
    return p;
}

static void keep(int **array)
{
    array[1] = take(NULL);
}

static void *worker(void *argument)
{
    int own = 0;
#ifdef KNOWN
    int **box = argument;
    static atomic_int count;
    int first = atomic_fetch_add(&count, 1) == 0;
    if (first)
        *box = &own;
#else
    int first = argument != NULL;
#endif
    argument = NULL;
    if (first)
        where = &own, sem_post(&ready);
    first = 0;
    sem_wait(&go);
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    sem_wait(&leave);
#ifdef KNOWN
    if (*box == &x)
        abort();
#endif
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int *box = NULL;
    sem_init(&ready, 0, 0), sem_init(&go, 0, 0), sem_init(&leave, 0, 0);
    for (int i = 0; i < 2; i++)
#ifdef KNOWN
        pthread_create(&t[i], NULL, worker, &box);
#else
        pthread_create(&t[i], NULL, worker, i == 0 ? &t[0] : NULL);
#endif
    sem_wait(&ready);
#ifdef RESULT
    pthread_create(&t[2], NULL, take, &ready);
    sem_wait(&ready);
#elif defined VARIABLE
    int *p = take(NULL);
#elif defined ARRAY
    volatile int length = 3;
    int *array[length];
    keep(array);
#elif defined LOCAL
    local = take(NULL);
#else
    take(NULL);
#endif
    sem_post(&go), sem_post(&go);
#ifdef VARIABLE
    look(p);
#elif defined LOCAL
    look(local);
#elif defined ARRAY
    look(array[1]);
#endif
    sem_post(&leave), sem_post(&leave);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
#ifdef RESULT
    void *p;
    pthread_join(t[2], &p);
    if (p == &y)
        abort();
#endif
    (void)keep, (void)look, (void)box;
    return y;
}
