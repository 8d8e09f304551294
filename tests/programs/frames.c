// Preloaded in the runtime's place: at every hook, checks that the frame records
// form a list that fits the stack and that functions and sites are those of
// registered units. Aborts if not.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    struct record *caller;
    const char *function;
    const char *site;
};

struct unit {
    char magic[4];
    uint32_t version;
    uint64_t size;
};

__thread struct record *__leno_frame;
static const struct unit *units[64];
static int count;
static unsigned long hooks, deepest;

static void fail(const char *what) {
    fprintf(stderr, "frames: %s\n", what);
    abort();
}

static int is_known(const char *place) {
    for (int i = 0; i < count; i++)
        if (place >= (const char *)units[i] && place < (const char *)units[i] + units[i]->size)
            return 1;
    return 0;
}

static void check(const char *site) {
    const char *below = __builtin_frame_address(0);
    unsigned long depth = 0;
    if (!is_known(site)) fail("a site of no unit");
    for (struct record *at = __leno_frame; at; at = at->caller, depth++) {
        // Of inlined functions several lie in one frame, in any order.
        if ((const char *)at <= below) fail("a record below the stack");
        if ((const char *)at - below > 8 << 20) fail("a record far away");
        if (depth > 1000) fail("a list without end");
        if (!is_known(at->function)) fail("a function of no unit");
        if (depth > 0 && !is_known(at->site)) fail("a call at no site");
    }
    if (depth == 0) fail("no record");
    __atomic_fetch_add(&hooks, 1, __ATOMIC_RELAXED);
    if (depth > deepest) deepest = depth;
}

void __leno_register(const struct unit *unit) {
    if (memcmp(unit->magic, "LENO", 4)) fail("no unit");
    units[count++] = unit;
}

void __leno_read(const char *site, const void *at, uint64_t size) { check(site); }
void __leno_write(const char *site, const void *at, uint64_t size) { check(site); }
void __leno_copy(const char *site, void *to, const void *from, uint64_t size) { check(site); }
void __leno_extern(const char *site, const void *callee, uint32_t n) { check(site); }

__attribute__((destructor)) static void report(void) {
    if (__leno_frame) fail("a record is left");
    fprintf(stderr, "frames: %s\n", hooks > 20 && deepest > 2 ? "good" : "too little seen");
}
