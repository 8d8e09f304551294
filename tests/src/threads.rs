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
static pthread_t t[3];
static long g[2], out;
static _Atomic long a[2];
static _Atomic(_Atomic long *) where;
static _Atomic(struct node *) box;
static __thread long local;
static pthread_key_t key;

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
static void report(long v) {
    pthread_mutex_lock(&m[0]), out = 3 * out + v, pthread_mutex_unlock(&m[0]);
}
"#;

/// What a thread does before it is looked at, or in passing: no event, or one.
fn statement(dice: &mut Random) -> String {
    let (i, c) = (dice.below(2), dice.below(3) + 1);
    match dice.below(22) {
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
        _ => format!(
            "errno = {c} * (int)id; pthread_setspecific(key, id ? &g[{i}] : 0); v += errno + (pthread_getspecific(key) == &g[0]);"
        ),
    }
}

/// Two functions, a main, and what it does with its threads.
fn program(dice: &mut Random, number: u64) -> String {
    let mut text = String::new();
    let same = dice.below(4) == 0;
    let lines: Vec<String> = (0..1 + dice.below(2)).map(|_| statement(dice)).collect();
    let other: Vec<String> = (0..1 + dice.below(2)).map(|_| statement(dice)).collect();
    for (name, lines) in [("f", &lines), ("h", if same { &lines } else { &other })] {
        let local = if name == "f" { "v" } else { "value" };
        writeln!(text, "static void *{name}{number}(void *arg) {{").unwrap();
        writeln!(
            text,
            "    long id = (long)arg, {local} = 0; struct node *p = 0; _Atomic long mine = 0;"
        )
        .unwrap();
        if local != "v" {
            writeln!(text, "#define v {local}").unwrap();
        }
        lines.iter().for_each(|line| writeln!(text, "    {line}").unwrap());
        writeln!(text, "    report(v);\n    (void)p, (void)id, (void)mine;").unwrap();
        writeln!(text, "    return (void *)v;\n}}\n#undef v").unwrap();
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
    let joining = dice.below(6);
    writeln!(text, "    void *result = 0; (void)result;").unwrap();
    for thread in 0..threads {
        match joining {
            0 => writeln!(
                text,
                "    pthread_join(t[{thread}], &result), out += {} * (long)result;",
                thread + 1
            ),
            1 => writeln!(text, "    pthread_join(t[{thread}], 0); a[0] = 2 * a[0] + 1;"),
            _ => writeln!(text, "    pthread_join(t[{thread}], 0);"),
        }
        .unwrap();
    }
    writeln!(text, "    return (int)(out * 7 + g[0] * 3 + g[1] * 5 + a[0] * 11 + a[1]) & 127;\n}}")
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
