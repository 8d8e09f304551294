// What C has that an instrumented program must still do as before.
#define _GNU_SOURCE
#include <alloca.h>
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct large { int numbers[20]; char name[8]; };
struct small { short x, y; };
struct mixed { double d; int i; };
struct bits { unsigned a : 3, b : 7, c : 1; int d : 12; };
union word { double d; unsigned long u; };
typedef int vector __attribute__((vector_size(16)));
typedef float odd __attribute__((ext_vector_type(3)));

static struct large shared_large;
static struct bits shared_bits;
static __thread int per_thread = 4;
static int initialised;
int volatile shared_volatile;

__attribute__((constructor)) static void construct(void) { initialised = 42; }
__attribute__((destructor)) static void destruct(void) { printf("end %d\n", initialised); }

static int by_value(struct large copy) {
    copy.numbers[3] += 5;
    return copy.numbers[3] + copy.name[0];
}

static struct large made(int n) {
    struct large new = {{0}, "made"};
    for (int i = 0; i < 20; i++) new.numbers[i] = n * i;
    return new;
}

static struct small swapped(struct small s) { return (struct small){s.y, s.x}; }
static struct mixed scaled(struct mixed m) { return (struct mixed){m.d * 2, m.i * 2}; }

static double sum(int count, ...) {
    va_list arguments, again;
    va_start(arguments, count);
    va_copy(again, arguments);
    double total = 0;
    for (int i = 0; i < count; i++) total += va_arg(arguments, double);
    for (int i = 0; i < count; i++) total += va_arg(again, double) / 2;
    va_end(again);
    va_end(arguments);
    return total;
}

static long mixed_sum(const char *kinds, ...) {
    va_list arguments;
    va_start(arguments, kinds);
    long total = 0;
    for (; *kinds; kinds++) {
        if (*kinds == 'i') total += va_arg(arguments, int);
        else if (*kinds == 'l') total += va_arg(arguments, long);
        else if (*kinds == 's') total += va_arg(arguments, struct large).numbers[2];
        else if (*kinds == 'd') total += (long)va_arg(arguments, double);
    }
    va_end(arguments);
    return total;
}

static jmp_buf back;
static int depth;

static void jump(int level) {
    char filler[100];
    memset(filler, level, sizeof filler);
    depth += filler[50];
    if (level == 0) longjmp(back, 7);
    jump(level - 1);
}

static int jumps(void) {
    volatile int tries = 0;
    int code = setjmp(back);
    tries++;
    if (tries < 4) jump(tries);
    return code * 100 + tries * 10 + (depth > 0);
}

static int interpret(const unsigned char *program) {
    static const void *const labels[] = {&&push, &&add, &&mul, &&end};
    int stack[8], top = 0;
    goto *labels[*program++];
push:
    stack[top++] = *program++;
    goto *labels[*program++];
add:
    top--;
    stack[top - 1] += stack[top];
    goto *labels[*program++];
mul:
    top--;
    stack[top - 1] *= stack[top];
    goto *labels[*program++];
end:
    return stack[0];
}

static int variable_length(int n) {
    int numbers[n], total = 0;
    int rows[n][n + 1];
    for (int i = 0; i < n; i++) {
        numbers[i] = i * i;
        for (int j = 0; j <= n; j++) rows[i][j] = i * j;
    }
    char *text = alloca(n + 1);
    memset(text, 'a', n);
    text[n] = 0;
    for (int i = 0; i < n; i++) total += numbers[i] + rows[i][n] + text[i];
    return total + (int)strlen(text) + (int)sizeof rows;
}

static const char *kind(int n) {
    switch (n) {
    case 0: return "zero";
    case 1 ... 5: return "few";
    case 100: return "hundred";
    default: return n < 0 ? "negative" : "many";
    }
}

static unsigned long assembly(unsigned long x) {
    unsigned long out;
    __asm__("lea 1(%1,%1,2), %0" : "=r"(out) : "r"(x));
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("addq $5, %0" : "+m"(out) : : "cc");
    return out;
}

static int asm_goto(int x) {
    __asm__ goto("testl %0, %0\n\tjz %l1" : : "r"(x) : "cc" : zero);
    return 1;
zero:
    return 2;
}

static void cleaned(int *p) { printf("cleanup %d\n", *p); }

static int with_cleanup(int n) {
    int guard __attribute__((cleanup(cleaned))) = n;
    if (n > 2) return guard * 2;
    guard++;
    return guard;
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int counter(void) {
    static int calls;
    return ++calls;
}

static int chosen_a(int x) { return x + 1; }
static int (*choose(void))(int) { return chosen_a; }
int chosen(int) __attribute__((ifunc("choose")));
__attribute__((weak)) int weak(void) { return 9; }
int aliased(void) __attribute__((alias("weak")));
static inline __attribute__((always_inline)) int inlined(int *p) { return (*p)++; }
inline int only_inline(int x) { return x * 3; }
extern int only_inline(int);
__attribute__((pure)) static int pure_read(const int *p) { return *p; }
__attribute__((noinline, optnone)) static int plain(int x) { return x ^ 5; }

int main(int argc, char **argv) {
    shared_large = made(3);
    printf("%d %d\n", by_value(shared_large), shared_large.numbers[3]);
    struct small s = swapped((struct small){1, 2});
    struct mixed m = scaled((struct mixed){1.5, 4});
    printf("%d %d %g %d\n", s.x, s.y, m.d, m.i);
    printf("%g %ld\n", sum(3, 1.0, 2.0, 3.0),
           mixed_sum("ilsdiiiiil", 1, 2L, made(5), 4.0, 5, 6, 7, 8, 9, 10L));
    printf("%d\n", jumps());
    printf("%d\n", interpret((const unsigned char[]){0, 3, 0, 4, 1, 0, 5, 2, 3}));
    printf("%d\n", variable_length(9));
    printf("%s %s %s %s %s\n", kind(0), kind(3), kind(100), kind(-1), kind(7));
    printf("%lu %d %d\n", assembly(5), asm_goto(0), asm_goto(1));
    shared_bits.a = 5;
    shared_bits.b += 100;
    shared_bits.c = 1;
    shared_bits.d = -700;
    shared_bits.a++;
    printf("%u %u %u %d\n", shared_bits.a, shared_bits.b, shared_bits.c, shared_bits.d);
    double complex z = 1 + 2 * I;
    z = z * z + conj(z);
    float complex zf = (float complex)z / 2;
    printf("%g %g %g\n", creal(z), cimag(z), cimagf(zf));
    long double ld = 1.0L / 3;
    printf("%.15Lf %g\n", ld * 3, (double)sqrtl(ld));
    __int128 wide = (__int128)1 << 100;
    printf("%lx\n", (long)(wide >> 70));
    vector v = {1, 2, 3, 4};
    v = v * v + 1;
    odd o = {1, 2, 3};
    o += 0.5f;
    printf("%d %d %g\n", v[0], v[3], o.z);
    union word w = {.d = 1.0};
    printf("%lx\n", w.u);
    printf("%d %d\n", with_cleanup(1), with_cleanup(5));
    int numbers[] = {5, 3, 9, 1};
    qsort(numbers, 4, sizeof *numbers, compare);
    printf("%d %d %d %d\n", numbers[0], numbers[1], numbers[2], numbers[3]);
    counter();
    printf("%d %d %d\n", counter(), per_thread++, per_thread);
    printf("%d %d %d %d\n", chosen(1), weak(), aliased(), inlined(&numbers[0]));
    printf("%d %d %d\n", only_inline(4), pure_read(numbers), plain(6));
    char *copy = strdup("heap");
    memmove(copy + 1, copy, 3);
    printf("%s %d %d\n", copy, argc, argv[argc] == NULL);
    free(copy);
    shared_volatile = 3;
    shared_volatile += ({ int t = shared_volatile; t * 2; });
    printf("%d\n", shared_volatile);
    struct { int n; int tail[]; } *flexible = malloc(sizeof *flexible + 3 * sizeof(int));
    flexible->tail[2] = 8;
    printf("%d\n", flexible->tail[2]);
    free(flexible);
    return 3;
}
