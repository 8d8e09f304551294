// Prints what each instruction that leno translates makes of many values. A test compares it with
// what the processor says (tests/tests/compiler.rs).
// leno: verdict=safe executions=1
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const uint64_t values[] = {
    0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
    0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x123456789abcdef0,
};
enum { COUNT = sizeof values / sizeof *values };

#define WIDTHS(M, ...) \
    M(8, b, uint8_t, __VA_ARGS__) M(16, w, uint16_t, __VA_ARGS__) M(32, l, uint32_t, __VA_ARGS__) M(64, q, uint64_t, __VA_ARGS__)

struct flags { bool z, c, s, o, be, l, le, nz, nc, ns, no, a, ge, g; };
#define FLAGS(f) "=@ccz"(f.z), "=@ccc"(f.c), "=@ccs"(f.s), "=@cco"(f.o), "=@ccbe"(f.be), "=@ccl"(f.l), "=@ccle"(f.le), \
    "=@ccnz"(f.nz), "=@ccnc"(f.nc), "=@ccns"(f.ns), "=@ccno"(f.no), "=@cca"(f.a), "=@ccge"(f.ge), "=@ccg"(f.g)

static void show(const char *name, uint64_t memory, uint64_t result, struct flags f)
{
    printf("%s %llx %llx %d%d%d%d%d%d%d %d%d%d%d%d%d%d\n", name, (unsigned long long)memory, (unsigned long long)result,
           f.z, f.c, f.s, f.o, f.be, f.l, f.le, f.nz, f.nc, f.ns, f.no, f.a, f.ge, f.g);
}

#define BINARY(W, S, T, LOCK, OP) \
    static void OP##LOCK##W(uint64_t a, uint64_t b) { \
        T m = (T)a; struct flags f; \
        __asm__ volatile(#LOCK " " #OP #S " %[b], %[m]" : [m] "+m"(m), FLAGS(f) : [b] "r"((T)b) : "memory"); \
        show(#LOCK " " #OP #S, m, 0, f); \
    }
WIDTHS(BINARY, lock, add) WIDTHS(BINARY, lock, sub) WIDTHS(BINARY, lock, and) WIDTHS(BINARY, lock, or) WIDTHS(BINARY, lock, xor)
WIDTHS(BINARY, , add) WIDTHS(BINARY, , sub) WIDTHS(BINARY, , xor)

#define CAS(W, S, T, LOCK) \
    static void cas##LOCK##W(uint64_t a, uint64_t b) { \
        T m = (T)a, e = (T)b; struct flags f; \
        __asm__ volatile(#LOCK " cmpxchg" #S " %[n], %[m]" : [m] "+m"(m), "+a"(e), FLAGS(f) : [n] "r"((T)(a ^ b)) : "memory", "cc"); \
        show(#LOCK " cmpxchg" #S, m, e, f); \
    }
WIDTHS(CAS, lock) WIDTHS(CAS, )

#define XADD(W, S, T, LOCK) \
    static void xadd##LOCK##W(uint64_t a, uint64_t b) { \
        T m = (T)a, v = (T)b; struct flags f; \
        __asm__ volatile(#LOCK "; xadd" #S " %[v], %[m]" : [m] "+m"(m), [v] "+r"(v), FLAGS(f) : : "memory", "cc"); \
        show(#LOCK " xadd" #S, m, v, f); \
    }
WIDTHS(XADD, lock) WIDTHS(XADD, )

#define XCHG(W, S, T, X) \
    static void xchg##W(uint64_t a, uint64_t b) { \
        T m = (T)a, v; struct flags f = {0}; \
        __asm__ volatile("xchg" #S " %0, %1" : "=r"(v), "+m"(m) : "0"((T)b) : "memory"); \
        show("xchg" #S, m, v, f); \
        __asm__ volatile("xchg %1, (%2)" : "=m"(m), "+r"(v) : "r"(&m) : "memory"); \
        show("xchg back", m, v, f); \
    }
WIDTHS(XCHG, )

#define UNARY(W, S, T, LOCK, OP) \
    static void OP##LOCK##W(uint64_t a, uint64_t b) { \
        T m = (T)a; struct flags f; uint8_t one = (uint8_t)b; \
        /* What the carry is before, it is behind. */ \
        __asm__ volatile("addb %[b], %b[one]; " #LOCK " " #OP #S " %[m]" : [m] "+m"(m), [one] "+q"(one), FLAGS(f) : [b] "q"((uint8_t)a) : "memory", "cc"); \
        show(#LOCK " " #OP #S, m, 0, f); \
    }
WIDTHS(UNARY, lock, inc) WIDTHS(UNARY, lock, dec) WIDTHS(UNARY, , inc) WIDTHS(UNARY, lock, not)

#define BIT(W, S, T, LOCK, OP) \
    static void OP##LOCK##W(uint64_t a, uint64_t b) { \
        T m[5] = {(T)a, (T)b, (T)a, (T)b, (T)a}; bool c = 0, d = 0; \
        /* Also before and behind the word that is named. */ \
        T index = (T)((T)(b % (4 * W)) - (T)(2 * W)); \
        __asm__ volatile(#LOCK " " #OP #S " %2, %0; setc %1" : "+m"(m[2]), "=q"(c) : "r"(index) : "memory", "cc"); \
        __asm__ volatile(#LOCK " " #OP #S " $3, %0; setnc %1" : "+m"(m[2]), "=q"(d) : : "memory", "cc"); \
        struct flags f = {.c = c, .z = d}; \
        for (int i = 0; i < 5; i++) show(#LOCK " " #OP #S, m[i], i, f); \
    }
#define WIDER(M, ...) M(16, w, uint16_t, __VA_ARGS__) M(32, l, uint32_t, __VA_ARGS__) M(64, q, uint64_t, __VA_ARGS__)
WIDER(BIT, lock, bts) WIDER(BIT, lock, btr) WIDER(BIT, lock, btc) WIDER(BIT, , bts)

#define MOVE(W, S, T, X) \
    static void mov##W(uint64_t a, uint64_t b) { \
        T m = (T)a, n = 0, r; struct flags f = {0}; \
        __asm__ volatile("mov" #S " %1, %0" : "=r"(r) : "m"(m)); \
        __asm__ volatile("mov" #S " %1, %0" : "=m"(n) : "ir"((T)b)); \
        show("mov" #S, n, r, f); \
    }
WIDTHS(MOVE, )

static void others(uint64_t a, uint64_t b)
{
    struct flags f = {0};
    uint64_t pair[2] __attribute__((aligned(16))) = {a, b};
    uint64_t low = a, high = b & 0xff ? b : a;
    __asm__ volatile("lock cmpxchg16b %0; setz %1" : "+m"(pair), "=q"(f.z), "+a"(low), "+d"(high) : "b"(~a), "c"(~b) : "memory", "cc");
    show("cmpxchg16b", pair[0], pair[1], f);
    show("cmpxchg16b", low, high, f);
    uint64_t half = a;
    uint32_t least = (uint32_t)a, most = (uint32_t)(b >> 32);
    __asm__ volatile("lock; cmpxchg8b %0\n\tsete %1" : "+m"(half), "=q"(f.z), "+a"(least), "+d"(most) : "b"((uint32_t)b), "c"(7) : "memory", "cc");
    show("cmpxchg8b", half, (uint64_t)most << 32 | least, f);

    double d = (double)a, e = 1.5;
    __asm__ volatile("xchgq %0, %1" : "+m"(d), "+q"(e) : : "memory");
    printf("double %g %g\n", d, e);
    float g = 2.5f, h = (float)b;
    __asm__ volatile("xchgl %0, %1" : "+r"(g), "+m"(h) : : "memory");
    printf("float %g %g\n", g, h);

    uint8_t small = (uint8_t)a;
    uint32_t wide = (uint32_t)b;
    __asm__ volatile("movzbl %1, %0" : "=r"(wide) : "m"(small));
    show("movzbl", wide, 0, f);
    /* Writing a part of a register keeps the rest, writing 32 bits clears it. */
    uint64_t whole = a;
    __asm__ volatile("movb %b1, %b0" : "+q"(whole) : "q"(b));
    show("movb register", whole, 0, f);
    __asm__ volatile("movw %w1, %w0" : "+r"(whole) : "r"(b));
    show("movw register", whole, 0, f);
    __asm__ volatile("movl %k1, %k0" : "+r"(whole) : "r"(b));
    show("movl register", whole, 0, f);
    __asm__ volatile("shl $32, %0; or %1, %0" : "+r"(whole) : "r"(b) : "cc");
    show("shl or", whole, 0, f);
    __asm__ volatile("shr $7, %0\n\tadd $-3, %0 # a comment; not code" : "+r"(whole) : : "cc");
    show("shr add", whole, 0, f);
    int spread;
    uint64_t bits = a;
    __asm__ volatile("lock; btsq %2, %1; sbbl %0, %0" : "=r"(spread), "+m"(bits) : "Ir"(b % 64) : "memory", "cc");
    show("bts sbb", bits, (uint64_t)spread, f);
    uint64_t *at = &bits;
    __asm__ volatile("lock; addq $5, 0(%0); lock; subq $1, (%0)" : : "r"(at) : "memory", "cc");
    show("by address", bits, 0, f);
    uint64_t around[3] = {a, b, a};
    __asm__ volatile("movq -8(%1), %0; movq %0, 8(%1)" : "=&r"(whole) : "r"(&around[1]) : "memory");
    show("displacement", around[2], whole, f);
    __asm__ volatile("movq %%rax, %%rcx; xchgq %%rcx, %0; movl %%ecx, %%edx" : "+m"(bits), "+d"(whole) : "a"(b) : "rcx", "memory");
    show("registers", bits, whole, f);
    bool zero;
    __asm__ volatile("lock; decl %0; setz %1" : "+m"(*(uint32_t *)&bits), "=rm"(zero) : : "memory", "cc");
    show("setz to memory", bits, zero, f);
    __asm__ volatile("mfence" ::: "memory");
    __asm__ volatile("lock; addl $0,-4(%%rsp)" ::: "memory", "cc");
    __asm__ volatile("rep; nop" ::: "memory");
    unsigned lo, hi;
    __asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi));
    printf("clock %d\n", (lo | hi) != 0);
}

#define CALL(W, S, T, NAME) NAME##W(a, b);
int main(void)
{
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            uint64_t a = values[i], b = values[j];
            WIDTHS(CALL, addlock) WIDTHS(CALL, sublock) WIDTHS(CALL, andlock) WIDTHS(CALL, orlock) WIDTHS(CALL, xorlock)
            WIDTHS(CALL, add) WIDTHS(CALL, sub) WIDTHS(CALL, xor)
            WIDTHS(CALL, caslock) WIDTHS(CALL, cas) WIDTHS(CALL, xaddlock) WIDTHS(CALL, xadd) WIDTHS(CALL, xchg)
            WIDTHS(CALL, inclock) WIDTHS(CALL, declock) WIDTHS(CALL, inc) WIDTHS(CALL, notlock)
            WIDER(CALL, btslock) WIDER(CALL, btrlock) WIDER(CALL, btclock) WIDER(CALL, bts)
            WIDTHS(CALL, mov)
            others(a, b);
        }
    return 0;
}
