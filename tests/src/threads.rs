//! Random C programs whose threads are nearly alike, for trying what is said of them.
//!
//! Some run the same function with the same argument, some do something before that tells
//! them apart; some of that is forgotten later. Many programs are one file, and an argument
//! says which of them runs: the compiler would take most of the time otherwise. What a
//! program has seen is in its exit status.

use crate::generator::Random;
use std::fmt::Write as _;

const HEAD: &str = r#"#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; long value; };
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_t t[3];
static long g[2], out;
static _Atomic long a[2];
static _Atomic(_Atomic long *) where;
static _Atomic(struct node *) box;
static __thread long local;
static __thread struct node *kept;
static pthread_key_t key;
static long cell[3];
struct padded { char kind; long value; };

static struct node *node(struct node *next, long value) {
    struct node *n = malloc(sizeof *n);
    memset(n, 0, sizeof *n);
    n->next = next, n->value = value;
    return n;
}
static long sum(struct node *p) {
    long s = 0;
    for (; p; p = p->next) s = 2 * s + p->value;
    return s;
}
static struct node *ring(long first, long second) {
    struct node *n = node(0, first);
    n->next = node(n, second);
    return n;
}
void __VERIFIER_atomic_report(long v) { out = 3 * out + v; }
static void report(long v) { __VERIFIER_atomic_report(v); }
static void by_address(long *p) {
    pthread_mutex_lock(&m[0]), g[0] = 2 * g[0] + *p, pthread_mutex_unlock(&m[0]);
}
static void twice(long *p) { report(2 * *p); }
static void (*const jobs[2])(long *) = {by_address, twice};
static void leave_behind(long with) {
    volatile char stack[256];
    for (unsigned i = 0; i < sizeof stack; i++) stack[i] = (char)with;
}
static void use(struct padded *p) { pthread_mutex_lock(&m[1]), g[1] += p->value, pthread_mutex_unlock(&m[1]); }
static void set(struct padded *p, long value) { p->kind = 1, p->value = value; }
static void with_padding(long value) {
    volatile char room[64];
    struct padded p;
    room[0] = 0;
    set(&p, value);
    use(&p);
}
static void *child(void *arg) {
    report((long)arg);
    return 0;
}
static void *maker(void *arg) {
    box = node(0, (long)arg);
    return 0;
}
static void add_to(void *to) { ++*(long *)to; }
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long go;
"#;

/// What a thread does before it is looked at, or in passing: no event, or one.
fn statement(dice: &mut Random) -> String {
    let (i, c) = (dice.below(2), dice.below(3) + 1);
    match dice.below(52) {
        0..4 => format!(
            "pthread_mutex_lock(&m[{i}]), g[{i}] = 2 * g[{i}] + {c}, pthread_mutex_unlock(&m[{i}]);"
        ),
        4 => format!("pthread_mutex_lock(&m[{i}]), v += g[{i}], pthread_mutex_unlock(&m[{i}]);"),
        5 => format!("v += a[{i}];"),
        6 => format!("a[{i}] = v + {c};"),
        7 => format!("atomic_fetch_add(&a[{i}], {c});"),
        8 => format!("v += {c} * id;"),
        9 => "id = 0;".to_string(),
        10 => format!("p = node(p, {c});"),
        11 => "v += sum(p);".to_string(),
        12 => "p = 0;".to_string(),
        13 => format!("local += {c} * id;"),
        14 => "v += local;".to_string(),
        15 => format!("if (id) where = &mine; mine += {c};"),
        16 => "where = 0;".to_string(),
        17 => "v += where == &mine;".to_string(),
        18 => "if (id && p) box = p;".to_string(),
        19 => format!("if (box == p) v += {c};"),
        20 => "if (pthread_equal(t[0], pthread_self())) v++;".to_string(),
        21 => "by_address(&id);".to_string(),
        22 => "by_address(&v);".to_string(),
        23 => format!("jobs[id & 1](&v); v += {c};"),
        24 => "jobs[0](&id);".to_string(),
        25 => "leave_behind(id); with_padding(2);".to_string(),
        26 => "leave_behind(id); with_padding(id);".to_string(),
        27 => format!("cell[id] += {c};"),
        28 => "v += cell[id];".to_string(),
        29 => "{ long *own = &cell[id]; id = 0, report(1), ++*own; }".to_string(),
        30 => format!("r = ring(id, {c});"),
        31 => format!("r = ring({c}, id); if (id) r = r->next;"),
        32 => "v += r ? r->next->value : 0;".to_string(),
        33 => "kept = p;".to_string(),
        34 => "v += kept == p; v += sum(kept);".to_string(),
        35 => "if (id) pthread_mutex_lock(&held), has = 1;".to_string(),
        36 => format!("if (!pthread_mutex_trylock(&m[1])) v += {c}, pthread_mutex_unlock(&m[1]);"),
        37 => "pthread_setspecific(key, p); v += pthread_getspecific(key) == 0;".to_string(),
        38 => "{ pthread_t k; pthread_create(&k, 0, child, (void *)id), pthread_join(k, 0); }"
            .to_string(),
        39 => format!("box = node(0, {c});"),
        40 => "{ struct node *q = box; if (q) v += q->value; }".to_string(),
        41 => "{ struct node *q = box; if (q) __atomic_fetch_add(&q->value, 1, 5); }".to_string(),
        42 => "if (id) free(node(0, 1));".to_string(),
        43 => "free(aligned_alloc(64, 64 + 64 * id)), free(node(0, 2));".to_string(),
        44 => format!(
            "{{ pthread_t k; pthread_create(&k, 0, maker, (void *){c}), pthread_join(k, 0); }}"
        ),
        45 => "if (id) { pthread_t k; pthread_create(&k, 0, child, 0), pthread_join(k, 0); }"
            .to_string(),
        46 => "pthread_cleanup_push(add_to, &v); report(v); pthread_cleanup_pop(id);".to_string(),
        47 => format!("errno = {c} * (int)id;"),
        48 => "v += errno;".to_string(),
        49 => "pthread_mutex_lock(&m[0]); if (!go) pthread_cond_wait(&changed, &m[0]); v += go; pthread_mutex_unlock(&m[0]);".to_string(),
        50 => "pthread_mutex_lock(&m[0]), ++go, pthread_cond_signal(&changed), pthread_mutex_unlock(&m[0]);".to_string(),
        _ => format!(
            "errno = {c} * (int)id; pthread_setspecific(key, id ? &g[{i}] : 0); v += errno + (pthread_getspecific(key) == &g[0]);"
        ),
    }
}

/// Some of them, of which few are seen by others: naive enumeration is to come to an end.
fn statements(dice: &mut Random) -> Vec<String> {
    let private = [
        "v += ",
        "id = 0",
        "p = ",
        "local",
        "r = ring",
        "kept",
        "cell[id]",
        "v += sum",
        "errno",
        "if (id) free",
        "free(",
    ];
    let mut visible = 1 + usize::from(dice.below(4) == 0);
    let mut lines: Vec<String> = Vec::new();
    while lines.len() < 3 && (lines.is_empty() || dice.below(2) == 0) {
        let line = statement(dice);
        let is_private = private.iter().any(|start| line.starts_with(start));
        if is_private || visible > 0 {
            visible -= usize::from(!is_private);
            lines.push(line);
        }
    }
    lines
}

/// Two functions, a main, and what it does with its threads.
fn program(dice: &mut Random, number: u64) -> String {
    let mut text = String::new();
    let same = dice.below(4) == 0;
    let by_value = dice.below(2) == 0;
    let (lines, other) = (statements(dice), statements(dice));
    for (name, lines) in [("f", &lines), ("h", if same { &lines } else { &other })] {
        let local = if name == "f" { "v" } else { "value" };
        writeln!(text, "static void *{name}{number}(void *arg) {{").unwrap();
        writeln!(
            text,
            "    long id = (long)arg, {local} = 0, has = 0; struct node *p = 0, *r = 0; _Atomic long mine = 0;"
        )
        .unwrap();
        if local != "v" {
            writeln!(text, "#define v {local}").unwrap();
        }
        lines.iter().for_each(|line| writeln!(text, "    {line}").unwrap());
        writeln!(text, "    report(v);\n    (void)p, (void)r, (void)id, (void)mine;").unwrap();
        writeln!(text, "    if (has) pthread_mutex_unlock(&held);").unwrap();
        let result = if by_value { "v" } else { "0" };
        writeln!(text, "    return (void *){result};\n}}\n#undef v").unwrap();
    }
    let threads = if lines.len() < 2 && dice.below(4) == 0 { 3 } else { 2 };
    writeln!(text, "static int main{number}(void) {{").unwrap();
    for thread in 0..threads {
        let function = if dice.below(4) == 0 { "h" } else { "f" };
        let id = if dice.below(3) == 0 { thread } else { dice.below(2) };
        writeln!(text, "    pthread_create(&t[{thread}], 0, {function}{number}, (void *){id});")
            .unwrap();
        if dice.below(5) == 0 {
            writeln!(text, "    atomic_fetch_add(&a[{}], 5);", dice.below(2)).unwrap();
        }
    }
    let joining = dice.below(9);
    writeln!(text, "    void *result = 0, *results[3] = {{0}}; (void)result, (void)results;")
        .unwrap();
    for thread in 0..threads {
        match joining {
            0 => writeln!(
                text,
                "    pthread_join(t[{thread}], &result), out += {} * (long)result;",
                thread + 1
            ),
            1 => writeln!(text, "    pthread_join(t[{thread}], 0); a[0] = 2 * a[0] + 1;"),
            2 => writeln!(text, "    pthread_join(t[{thread}], &result); if (result) out++;"),
            3 => writeln!(text, "    pthread_join(t[{thread}], &results[{thread}]);"),
            4 => {
                writeln!(text, "    pthread_join(t[{thread}], 0); out = 2 * out + cell[{thread}];")
            }
            _ => writeln!(text, "    pthread_join(t[{thread}], 0);"),
        }
        .unwrap();
    }
    writeln!(text, "    return (int)(out * 7 + g[0] * 3 + g[1] * 5 + a[0] * 11 + a[1] + cell[0] * 13 + cell[1]) & 127;\n}}")
        .unwrap();
    text
}

/// So many programs as one file; the first argument says which.
pub fn programs(seed: u64, count: u64) -> String {
    let mut text = HEAD.to_string();
    for number in 0..count {
        text += &program(&mut Random(seed + number), number);
    }
    text += "int main(int argc, char **argv) {\n    pthread_key_create(&key, 0);\n";
    text += "    switch (argc > 1 ? atoi(argv[1]) : 0) {\n";
    for number in 0..count {
        writeln!(text, "    case {number}: return main{number}();").unwrap();
    }
    text + "    }\n    return 0;\n}\n"
}

/// The text of one program of such a file.
pub fn one(seed: u64) -> String {
    program(&mut Random(seed), 0)
}
