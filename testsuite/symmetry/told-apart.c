// Two threads run the same code and stand at the same place with the same variables, but
// something else tells them apart: what only the first of them has done before. In each of
// these variants they must not be found symmetric in `work`.
//
// Nothing: that they are symmetric there is what makes the others mean something.
// leno[--explain-symmetry]: verdict=safe symmetric="T1 T2 at 1000, T1 T2 at 0"
// leno[--explain-symmetry]: verdict=safe symmetric="T1 T2 at 1000, T1 T2 at 0"
// leno[--explain-symmetry]: cflags="-DMUTEX" verdict=safe symmetric="" apart~"T1 T2 at 1000: lock held"
// leno[--explain-symmetry]: cflags="-DWRITER" verdict=safe symmetric="" apart~"T1 T2 at 1000: lock rw"
// leno[--explain-symmetry]: cflags="-DREADER" verdict=safe symmetric="" apart~"T1 T2 at 1000: lock rw"
// A global variable refers to a variable of its; a packed one; a block of the heap; main's stack.
// leno[--explain-symmetry]: cflags="-DGLOBAL" verdict=safe symmetric="" apart~"T1 T2 at 1000: referenced where"
// leno[--explain-symmetry]: cflags="-DPACKED" verdict=safe symmetric="" apart~"T1 T2 at 1000: referenced packed"
// leno[--explain-symmetry]: cflags="-DHEAP" verdict=safe symmetric="" apart~"T1 T2 at 1000: referenced heap block"
// leno[--explain-symmetry]: cflags="-DSTACK" verdict=safe symmetric="" apart~"T1 T2 at 1000: referenced on_stack"
// A global variable refers to a block of the heap that is its own.
// leno[--explain-symmetry]: cflags="-DBLOCK" verdict=safe symmetric="" apart~"T1 T2 at 1000: referenced where"
// Its thread-local variable, its errno, its thread-specific data have another value.
// leno[--explain-symmetry]: cflags="-DLOCAL" verdict=safe symmetric="" apart~"T1 T2 at 1000: value thread-local storage is 1 and 0"
// leno[--explain-symmetry]: cflags="-DERRNO" verdict=safe symmetric="" apart~"T1 T2 at 1000: value thread-local storage"
// leno[--explain-symmetry]: cflags="-DSPECIFIC" verdict=safe symmetric="" apart~"T1 T2 at 1000: value thread-local storage"
// It has blocked a signal, disabled its cancellation, slept, drawn a random number, rounds upwards.
// leno[--explain-symmetry]: cflags="-DMASK" verdict=safe symmetric="" apart~"T1 T2 at 1000: state different signal masks"
// leno[--explain-symmetry]: cflags="-DCANCEL" verdict=safe symmetric="" apart~"T1 T2 at 1000: state different cancellation"
// leno[--explain-symmetry]: cflags="-DSLEEP" verdict=safe symmetric="" apart~"T1 T2 at 1000: state different clocks"
// leno[--explain-symmetry]: cflags="-DRANDOM" verdict=safe symmetric="" apart~"T1 T2 at 1000: state different random numbers"
// leno[--explain-symmetry]: cflags="-DROUNDING -lm" verdict=safe symmetric="" apart~"T1 T2 at 1000: state different floating-point modes"
// So it is if both have drawn one: the next ones are different.
// leno[--explain-symmetry]: cflags="-DRANDOM -DBOTH" verdict=safe symmetric="" apart~"T1 T2 at 1000: state different random numbers"
// A signal is pending for it, it holds a robust mutex, has a file open, has mapped memory.
// leno[--explain-symmetry]: cflags="-DPENDING" verdict=safe symmetric="" apart~"T1 T2 at 1000: state different pending signals"
// leno[--explain-symmetry]: cflags="-DROBUST" verdict=safe symmetric="T1 T2 at 0" apart~"T1 T2 at 1000: lock they hold different robust mutexes"
// leno[--explain-symmetry]: cflags="-DFILES" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has files open"
// leno[--explain-symmetry]: cflags="-DMAPPED" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable the program has mapped memory"
// It has created a thread that is still there; it has used so much memory that addresses come
// back; it has asked for a block that leaves a gap.
// leno[--explain-symmetry]: cflags="-DCHILD" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has created T1.1, which is still there"
// leno[--explain-symmetry]: cflags="-DALIGNED" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 aligns blocks"
// leno[--explain-symmetry]: cflags="-DMUCH" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has used much memory"
// Its creator has detached it, named it, given it a processor, interrupts it.
// leno[--explain-symmetry]: cflags="-DDETACHED" verdict=safe symmetric="" apart~"T1 T2 at 1000: state different being detached"
// leno[--explain-symmetry]: cflags="-DNAMED" verdict=safe apart~"T1 T2 at 1000: state different names"
// leno[--explain-symmetry]: cflags="-DPLACED" verdict=safe apart~"T1 T2 at 1000: state different scheduling"
// leno[--explain-symmetry]: cflags="-DINTERRUPTED" verdict=safe apart~"T1 T2 at 1000: incomparable T1 is interrupted by signals"
// It is at its end: what looks like the thread's function is a destructor of its.
// leno[--explain-symmetry]: cflags="-DENDING" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 is at its end"
// It has asked who it is.
// leno[--explain-symmetry]: cflags="-DSELF" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has asked who it is"
// leno[--explain-symmetry]: cflags="-DTID" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has asked who it is"
// It has looked at the address of a variable, or of a block of its own, as a number.
// leno[--explain-symmetry]: cflags="-DNUMBER" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DPRINTED" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DBLOCK -DNUMBER" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable the address of a block"
// The same by ways on which no pointer is turned into a number: it is stored as the one and
// read as the other, whole, in halves, byte by byte, copied before, handed to a function that
// computes with it, updated by an atomic operation, hashed by a library. And the same of a block.
// leno[--explain-symmetry]: cflags="-DUNITED" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DHALVES" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DBYTES" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DCOPIED" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DCOPIED -O2" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DHANDED" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DUPDATED" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DCOMPARED" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DBLOCK -DUNITED" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable the address of a block"
// leno[--explain-symmetry]: cflags="-DBLOCK -DBYTES" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable the address of a block"
// A part of it is copied, by the compiler's way or by a function; what is given back is more than
// a number; its lowest bits are masked, its distance to something else is measured, a register
// says where the stack is.
// leno[--explain-symmetry]: cflags="-DPART" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DPART -fno-builtin" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DVECTOR" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DMASKED" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DDISTANCE" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DREGISTER" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DBLOCK -DPART" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable the address of a block"
// leno[--explain-symmetry]: cflags="-DBLOCK -DDISTANCE" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable the address of a block"
// It has asked assembly where its stack is; it has sent an address through a pipe; a global
// variable refers to a place before its block.
// leno[--explain-symmetry]: cflags="-DASSEMBLY" verdict=unknown symmetric="" apart~"T1 T2 at 1000: incomparable T1 has called what nobody knows"
// leno[--explain-symmetry]: cflags="-DPIPE" verdict=safe symmetric="" apart~"T1 T2 at 1000: incomparable T1 has had an address looked at"
// leno[--explain-symmetry]: cflags="-DBLOCK -DBEFORE" verdict=safe symmetric="" apart~"T1 T2 at 1000: referenced where"
// It knows the order of two blocks of its, and that is another one.
// leno[--explain-symmetry]: cflags="-DORDER" verdict=safe symmetric="T1 T2 at 0" apart~"T1 T2 at 1000: incomparable the order of blocks was asked for, and theirs is another one"
// It has destroyed a mutex of its own, and both are about to initialise theirs.
// leno[--explain-symmetry]: cflags="-DDESTROYED" verdict=safe symmetric="" apart~": lock own: one of them holds it"
// A library function that nobody sees into calls it. It has an array of variable length.
// leno[--explain-symmetry]: cflags="-DLIBRARY" verdict=safe symmetric="T1 T2 at 0" apart~"T1 T2 at 1000: incomparable T1: worker calls compare by way of qsort"
// leno[--explain-symmetry]: cflags="-DVARIABLE" verdict=safe symmetric="T1 T2 at 0" apart~"T1 T2 at 1000: incomparable around has an array of variable length"
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static void *where;
static struct __attribute__((packed)) {
    char odd;
    void *where;
} packed;
static void **box;
static __thread long local;
static pthread_key_t key;
static pthread_mutex_t robust;
unsigned long hidden;
int ends[2];

/* What the first one does. */
static int around(int n), compare(const void *a, const void *b);

#ifdef HANDED
static unsigned long complement(unsigned long number) { return ~number; }
#endif

#ifdef VECTOR
typedef unsigned long two __attribute__((vector_size(16)));
static two vector(void *mine) {
    union { void *pointers[2]; two numbers; } both = {{mine, mine}};
    return both.numbers;
}
#endif

#ifdef REGISTER
register unsigned long stack __asm__("rsp");
#endif

#ifdef CHILD
static void *nothing(void *arg) { return arg; }
#endif

static void begin(void *mine) {
#ifdef MUTEX
    pthread_mutex_lock(&held);
#elif defined WRITER
    pthread_rwlock_wrlock(&rw);
#elif defined READER
    pthread_rwlock_rdlock(&rw);
#elif defined NUMBER
    unsigned long number = (unsigned long)mine;
    if (number % 64 == 1) abort();
#elif defined UNITED
    union { void *pointer; unsigned long number; } both;
    both.pointer = mine;
    hidden = ~both.number;
#elif defined HALVES
    void *pointer = mine;
    hidden = ~((unsigned *)&pointer)[0];
#elif defined BYTES
    for (unsigned long i = 0; i < sizeof mine; i++)
        hidden = 31 * hidden + ((unsigned char *)&mine)[i];
#elif defined COPIED
    unsigned long number;
    memcpy(&number, &mine, sizeof number);
    hidden = ~number;
#elif defined HANDED
    union { void *pointer; unsigned long number; } both;
    both.pointer = mine;
    hidden = complement(both.number);
#elif defined UPDATED
    void *pointer = mine;
    hidden = ~__atomic_fetch_add((unsigned long *)&pointer, 1, __ATOMIC_SEQ_CST);
#elif defined PART
    unsigned half;
    memcpy(&half, &mine, sizeof half);
    hidden = ~half;
#elif defined VECTOR
    hidden = (~vector(mine))[1];
#elif defined MASKED
    hidden = (char *)mine - __builtin_align_down((char *)mine, 1 << 16);
#elif defined DISTANCE
    hidden = (char *)mine - (char *)box;
#elif defined REGISTER
    hidden = ~stack;
#elif defined COMPARED
    void *zeros = 0;
    hidden = memcmp(&mine, &zeros, sizeof mine);
#elif defined ASSEMBLY
    __asm__ volatile("mov %%rsp, %%rax\n\tnot %%rax\n\tmov %%rax, %0"
                     : "=m"(hidden) : "r"(mine) : "rax", "memory");
#elif defined PIPE
    write(ends[1], &mine, sizeof mine);
#elif defined BEFORE
    where = (char *)mine - 8;
#elif defined PRINTED
    char text[32];
    snprintf(text, sizeof text, "%p", mine);
#elif defined GLOBAL || defined BLOCK
    where = mine;
#elif defined PACKED
    packed.where = mine;
#elif defined HEAP || defined STACK
    *box = mine;
#elif defined LOCAL
    local = 1;
#elif defined ERRNO
    errno = EPERM;
#elif defined SPECIFIC
    pthread_setspecific(key, &x);
#elif defined MASK
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
#elif defined CANCEL
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
#elif defined SLEEP
    sleep(1);
#elif defined RANDOM
    char byte;
    getentropy(&byte, 1);
#elif defined ROUNDING
    fesetround(FE_UPWARD);
#elif defined PENDING
    raise(SIGUSR1);
#elif defined ROBUST
    pthread_mutex_lock(&robust);
#elif defined FILES
    open("/dev/null", O_RDONLY);
#elif defined MAPPED
    mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#elif defined CHILD
    pthread_t child;
    pthread_create(&child, 0, nothing, 0);
#elif defined ALIGNED
    free(aligned_alloc(64, 64));
#elif defined MUCH
    for (int i = 0; i < 1200; i++)
        free(malloc(60000));
#elif defined SELF
    (void)!pthread_self();
#elif defined TID
    gettid();
#endif
    (void)mine, (void)around, (void)compare;
}

static void work(void);

#ifdef ENDING
static void last(void *arg) {
    work();
    (void)arg;
}
#endif

static int around(int n) {
    int many[n];
    memset(many, 0, sizeof many);
    work();
    return 0;
}

static int compare(const void *a, const void *b) {
    (void)a, (void)b;
    work();
    return 0;
}

static void *worker(void *arg) {
    int first = arg == 0;
    arg = 0;
#if defined LIBRARY || defined VARIABLE
#ifdef LIBRARY
    int two[2] = {0};
    if (first) qsort(two, 2, sizeof *two, compare);
    else compare(two, two);
#else
    if (first) around(4);
    else around(4);
#endif
#elif defined BLOCK
    void *mine = calloc(1, 8);
    if (first) begin(mine);
    work();
    if (*(char *)mine) abort();
#elif defined ORDER
    char *one = calloc(1, 8), *two = calloc(1, 8), *last = one;
    if (first) one = two, two = last;
    last = 0;
    if (one == two || (one < two) == first) abort();
    work();
    if (*one || *two) abort();
#elif defined DESTROYED
    pthread_mutex_t own;
    memset(&own, 0, sizeof own);
    pthread_mutex_init(&own, 0);
    if (first) pthread_mutex_destroy(&own);
    first = 0;
    work();
    pthread_mutex_init(&own, 0);
    pthread_mutex_lock(&own), pthread_mutex_unlock(&own);
#elif defined ENDING
    if (first) pthread_setspecific(key, &x);
    else last(0);
#else
    int mine = 0;
#ifdef PENDING
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
#endif
#ifdef BOTH
    begin(&mine);
#else
    if (first) begin(&mine);
#endif
    work();
    if (mine) abort();
#endif
    return 0;
}

/* So that the lines above can be more without renaming this one. */
#line 1000
static void work(void) { pthread_mutex_lock(&m), x++, pthread_mutex_unlock(&m); }

static void handle(int signal) { (void)signal; }

int main(void) {
    pthread_t t[2];
    void *on_stack = 0;
#ifdef ENDING
    pthread_key_create(&key, last);
#else
    pthread_key_create(&key, 0);
#endif
#ifdef ROBUST
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &kind);
#endif
    signal(SIGUSR2, handle);
#ifdef PIPE
    pipe(ends);
#endif
#ifdef STACK
    box = &on_stack;
#else
    box = malloc(sizeof *box);
    *box = 0;
#endif
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
#ifdef DETACHED
    pthread_detach(t[0]);
    pthread_join(t[1], 0);
#else
#ifdef NAMED
    pthread_setname_np(t[0], "first");
#elif defined PLACED
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    pthread_setaffinity_np(t[0], sizeof one, &one);
#elif defined INTERRUPTED
    pthread_kill(t[0], SIGUSR2);
#endif
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
#endif
    return where == (void *)&x || packed.where == (void *)&x;
}
