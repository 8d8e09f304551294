// Bytes between the members of a structure hold whatever was on the stack before, and nobody
// may rely on them: they tell no threads apart. The members do, and so do all bytes of a
// union, of which nobody knows which member counts.
// leno[--explain-symmetry]: verdict=safe symmetric="T1 T2 at 44, T1 T2 at 0"
// leno[--explain-symmetry]: cflags="-DARRAY" verdict=safe symmetric="T1 T2 at 44, T1 T2 at 0"
// leno[--explain-symmetry]: cflags="-DMEMBER" verdict=safe symmetric="T1 T2 at 0" apart~"T1 T2 at 44: value what i in work leads to"
// leno[--explain-symmetry]: cflags="-DUNION" verdict=safe symmetric="T1 T2 at 0" apart~"T1 T2 at 44: value what i in work leads to"
#include <pthread.h>

struct one {
    char kind;
    long value;
    char last;
};
#ifdef ARRAY
struct item {
    struct one parts[3];
};
#elif defined UNION
struct item {
    union {
        struct one one;
        char bytes[sizeof(struct one)];
    };
};
#else
struct item {
    struct one one;
};
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long x;

static void fill(long with) {
    volatile char bytes[512];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)with;
}

static void use(struct item *i);

static void work(struct item *i) {
    pthread_mutex_lock(&m);
    use(i);
    pthread_mutex_unlock(&m);
}

static void set(struct one *p) { p->kind = 1, p->value = 2, p->last = 3; }

#ifdef ARRAY
static void use(struct item *i) { x += i->parts[1].value; }
static void begin(void) {
    struct item i;
    for (int n = 0; n < 3; n++) set(&i.parts[n]);
    work(&i);
}
#else
static void use(struct item *i) { x += i->one.value; }
static void begin(void) {
    struct item i;
#ifdef MEMBER
    i.one.kind = 1, i.one.value = 2;
#else
    set(&i.one);
#endif
    work(&i);
}
#endif

/* Further down the stack, where fill has been. */
static void further(void) {
    volatile char room[128];
    room[0] = 0;
    begin();
}

static void *worker(void *arg) {
    fill((long)arg);
    arg = 0;
    further();
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    (void)set;
    return x != 4;
}
