//! Residual digests and live slots: what keeps them and what changes them.

use inkwell::{context::Context, memory_buffer::MemoryBuffer};
use leno_model::site::{Residual, Site, SiteKind, UnitTable};
use leno_pass::instrument;
use std::{fmt::Write, fs, process::Command};

fn table_of(source: &str, flags: &[&str]) -> UnitTable {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("unit.c"), source).unwrap();
    let status = Command::new("clang-22")
        .args(["-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-O0-optnone", "-w"])
        .args(["-emit-llvm", "-c", "-o", "out.bc", "unit.c"])
        .args(flags)
        .current_dir(directory.path())
        .status()
        .unwrap();
    assert!(status.success());
    let bitcode = fs::read(directory.path().join("out.bc")).unwrap();
    instrument(&bitcode, "unit.c").unwrap().table
}

fn sites<'t>(table: &'t UnitTable, function: &str) -> Vec<&'t Site> {
    let index = table.functions.iter().position(|found| found.name == function).unwrap();
    table.sites.iter().filter(|site| site.function as usize == index).collect()
}

/// The residual code at the entry, which is that of the first hook.
fn first(table: &UnitTable, function: &str) -> Residual {
    sites(table, function)[0].before.clone().unwrap()
}

/// The names of what is live at the first site of a function that `wanted` accepts.
fn live<'t>(
    table: &'t UnitTable,
    function: &str,
    behind: bool,
    wanted: impl Fn(&Site) -> bool,
) -> Vec<&'t str> {
    let site = sites(table, function).into_iter().find(|site| wanted(site)).unwrap();
    let residual = if behind { &site.behind } else { &site.before };
    let slots = &table.functions[site.function as usize].frame.slots;
    let slots = residual.as_ref().unwrap().live.iter().map(|slot| &slots[*slot as usize]);
    let mut names: Vec<&str> = slots.filter_map(|slot| slot.name.as_deref()).collect();
    names.sort_unstable();
    names
}

fn calls(site: &Site, name: &str) -> bool {
    site.kind == SiteKind::Call(Some(name.to_owned()))
}

const WORLD: &str = "int g, h, *p, *q; _Atomic int at; int val(int, int); void use(int);\n\
    static int same1(int x) { return x * 2 + g; } static int same2(int y) { return y * 2 + g; }\n\
    static int other(int x) { return x * 3 + g; }\n";

/// Two bodies of `void f(int a, int b)`; in the second the parameters are `c, d`.
fn compare(one: &str, two: &str) -> (Residual, Residual) {
    // Compared from a first event on, so that what follows is still to be computed.
    let source = format!(
        "{WORLD}void one(int a, int b) {{ g = 0; {one} }}\nvoid two(int c, int d) {{ g = 0; {two} }}"
    );
    let table = table_of(&source, &["-g"]);
    (first(&table, "one"), first(&table, "two"))
}

#[track_caller]
fn same(one: &str, two: &str) {
    let (one, two) = compare(one, two);
    assert_eq!(one.digest, two.digest);
    assert_eq!(one.live.len(), two.live.len());
}

#[track_caller]
fn different(one: &str, two: &str) {
    let (one, two) = compare(one, two);
    assert_ne!(one.digest, two.digest);
}

#[test]
fn r0_statements_follow_each_other() {
    same("g = 1; h = 2; g = 3;", "g = 1; h = 2; g = 3;");
    different("g = 1; h = 2;", "h = 2; g = 1;");
    different("g = 1; h = 2;", "g = 1;");
}

#[test]
fn r1_labels_are_renamed() {
    same("again: g = a; if (h) goto again;", "once: g = c; if (h) goto once;");
    different("again: g = a; h = 1; goto again;", "g = c; once: h = 1; goto once;");
}

#[test]
fn r2_branches_lead_to_the_same() {
    same("if (g) h = 1; else h = 2;", "if (g) h = 1; else h = 2;");
    different("if (g) h = 1; else h = 2;", "if (g) h = 2; else h = 1;");
    different("if (g) h = 1;", "if (!g) h = 1;");
    different("switch (g) { case 1: h = 1; }", "switch (g) { case 2: h = 1; }");
}

#[test]
fn r3_r4_assignments_and_results_of_calls() {
    same("int x = g; h = x;", "int y = g; h = y;");
    same("int x = val(a, b); h = x;", "int y = val(c, d); h = y;");
    different("int x = g, z = h; g = x; h = z;", "int y = g, z = h; g = z; h = y;");
    different("int x = val(a, b); h = x;", "int y = val(c, d); h = c;");
}

#[test]
fn r5_operators() {
    same("h = g; h = a - b;", "h = g; h = c - d;");
    different("h = g; h = a - b;", "h = g; h = d + c;");
    different("g = a < b;", "g = c <= d;");
    // Commutative ones in either order.
    same("h = a * 3 + b;", "h = d + 3 * c;");
    same("int x = g; h = (a ^ x) == b;", "int x = g; h = d == (x ^ c);");
    different("int x = g; h = x - a;", "int x = g; h = c - x;");
}

#[test]
fn r6_arguments() {
    same("g = val(a, 3);", "g = val(c, 3);");
    different("g = val(a, 3);", "g = val(3, c);");
    different("g = val(a, a);", "g = val(c, d);");
    different("use(g);", "use(h);");
}

#[test]
fn r7_r8_r9_a_global_is_itself() {
    same("g = 1;", "g = 1;");
    different("g = 1;", "h = 1;");
    different("p = &g;", "p = &h;");
    different("*p = 1;", "*q = 1;");
}

#[test]
fn r10_r11_r12_a_local_stands_for_a_local() {
    same("p = &a; use(a);", "p = &c; use(c);");
    same("int *x = p; *x = 1;", "int *y = p; *y = 1;");
    same("g = a;", "g = d;");
    // A bijection, not a mere map.
    different("g = a; h = b;", "g = c; h = c;");
    different("g = a; h = a;", "g = c; h = d;");
    different("g = a;", "g = h;");
}

#[test]
fn r13_constants_and_types() {
    different("g = 1;", "g = 2;");
    different("g = a / 3;", "g = c / 5;");
    different("*p = 1;", "*(short *)p = 1;");
    different("g = (short)a;", "g = (char)c;");
    same("use(\"ab\"[a]);", "use(\"ab\"[c]);");
    different("use(\"ab\"[a]);", "use(\"ac\"[c]);");
}

#[test]
fn atomics_differ_by_operation_and_order() {
    same("at++;", "at++;");
    different("at++;", "at--;");
    different(
        "__c11_atomic_store(&at, 1, __ATOMIC_RELEASE);",
        "__c11_atomic_store(&at, 1, __ATOMIC_RELAXED);",
    );
    different("at = 1;", "*(int *)&at = 1;");
    different("*p = 1;", "*(volatile int *)p = 1;");
}

#[test]
fn callees_count_by_name_or_by_what_they_do() {
    same("h = same1(a);", "h = same2(c);");
    different("h = same1(a);", "h = other(c);");
    different("use(val(1, 2));", "val(1, 2);");
    // A function's address is a value like any other.
    different("p = (int *)same1;", "p = (int *)same2;");
}

#[test]
fn recursion_is_compared_by_refinement() {
    let table = table_of(
        "int g; static int e2(int); static int e1(int n) { return n ? e2(n - 1) : g; }\n\
         static int e2(int n) { return n ? e1(n - 1) : g; }\n\
         static int s(int n) { return n ? s(n - 1) : g; }\n\
         static int t2(int); static int t1(int n) { return n ? t2(n - 1) : g; }\n\
         static int t2(int n) { return n ? t1(n - 2) : g; }\n\
         void one(void) { g = 0; g = e1(4); } void two(void) { g = 0; g = s(4); }\n\
         void three(void) { g = 0; g = t1(4); }",
        &[],
    );
    assert_eq!(first(&table, "one").digest, first(&table, "two").digest);
    assert_ne!(first(&table, "one").digest, first(&table, "three").digest);
}

#[test]
fn statics_belong_to_their_function_and_unit() {
    let source = "int g; void one(void) { static int n; n++; g = n; }\n\
                  void two(void) { static int n; n++; g = n; }\nvoid three(int x) { g = x; }";
    let table = table_of(source, &[]);
    assert_ne!(first(&table, "one").digest, first(&table, "two").digest);
    assert!(first(&table, "one").local && !first(&table, "three").local);
}

#[test]
fn what_is_past_does_not_count() {
    let table = table_of(
        "int g, h; void one(int n) { g = n; h = 1; h = 2; } void two(void) { h = 2; }",
        &[],
    );
    let last = |name| sites(&table, name).last().unwrap().before.clone().unwrap();
    assert_eq!(last("one").digest, last("two").digest);
    assert_ne!(first(&table, "one").digest, first(&table, "two").digest);
}

#[test]
fn loop_counters_temporaries_and_handles_die() {
    let table = table_of(
        "typedef unsigned long pthread_t; int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
         int pthread_join(pthread_t, void **); void work(int); void *run(void *); int x;\n\
         int f(int n) { int sum = 0; for (int i = 0; i < n; i++) { int part = x; sum += part; work(i); }\n\
           x = sum; work(7); return 0; }\n\
         int g(int n) { pthread_t t[2]; pthread_create(&t[0], 0, run, 0); pthread_create(&t[1], 0, run, 0);\n\
           pthread_join(t[0], 0); pthread_join(t[1], 0); work(n); x = 1; return 0; }\n\
         int h(void) { pthread_t t; pthread_create(&t, 0, run, 0); work(1); pthread_join(t, 0); x = 1; return 0; }",
        &["-g"],
    );
    let work = |site: &Site| calls(site, "work");
    assert_eq!(live(&table, "f", true, work), ["i", "n", "sum"]);
    assert_eq!(live(&table, "f", false, |site| site.kind == SiteKind::Read), ["i", "n", "sum"]);
    // What is to be stored is in hand already: a value without a name.
    assert!(live(&table, "f", false, |site| site.kind == SiteKind::Write).is_empty());
    let write = sites(&table, "f").into_iter().find(|site| site.kind == SiteKind::Write).unwrap();
    assert_eq!(write.before.as_ref().unwrap().live.len(), 1);
    assert_eq!(live(&table, "g", true, |site| calls(site, "pthread_create")), ["n", "t"]);
    assert!(live(&table, "g", true, work).is_empty());
    assert_eq!(live(&table, "h", true, work), ["t"]);
    assert!(live(&table, "h", false, |site| calls(site, "pthread_create")).is_empty());
    assert!(live(&table, "h", false, |site| site.kind == SiteKind::Write).is_empty());
}

#[test]
fn what_is_only_computed_for_nobody_is_dead() {
    let table = table_of(
        "int x;\n\
         int f(int n) { int rounds = 0, tries = 0, sum = 0; while (x != n) { rounds++; tries += 2; sum ^= tries; }\n\
           return tries; }\n\
         int g(int n) { int rounds = 0; while (x != n) { rounds++; if (rounds == 9) break; } return 0; }\n\
         int h(int n, int *last) { volatile int rounds = 0; int part = 1; while (x != n) { rounds++; part = 9 / part; }\n\
           return 0; }",
        &["-g"],
    );
    let reads = |site: &Site| site.kind == SiteKind::Read;
    assert_eq!(live(&table, "f", false, reads), ["n", "tries"]);
    assert_eq!(live(&table, "g", false, reads), ["n", "rounds"]);
    // A division may fail, and who says volatile wants it.
    assert_eq!(live(&table, "h", false, reads), ["n", "part", "rounds"]);
}

#[test]
fn a_variable_whose_address_is_out_lives_while_it_is_mentioned() {
    let table = table_of(
        "int x; int *p; void work(int *); int f(void) { int a = 1; p = &a; x = 1; work(&a); x = 2; return 0; }",
        &["-g"],
    );
    let lives: Vec<bool> = sites(&table, "f")
        .iter()
        .filter(|site| site.kind == SiteKind::Write)
        .map(|site| !site.before.as_ref().unwrap().live.is_empty())
        .collect();
    assert_eq!(lives, [true, true, true, false]);
}

#[test]
fn debug_info_makes_no_difference() {
    let source = format!(
        "{WORLD}int f(int n) {{ int s = 0; for (int i = 0; i < n; i++) {{ int k = g; s += val(k, i); }}\n\
         if (s > 3) h = s; else use(s); {{ int t = s * 2; p = &t; *p += same1(t); at += t; }} return s; }}"
    );
    let digests = |flags: &[&str]| -> Vec<_> {
        let table = table_of(&source, flags);
        let digest = |site: &Site| {
            let of = |residual: &Option<Residual>| residual.as_ref().map(|found| found.digest);
            (of(&site.before), of(&site.behind))
        };
        table.sites.iter().map(digest).collect()
    };
    assert_eq!(digests(&["-g"]), digests(&["-g0"]));
}

// Generated functions.

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }
}

#[derive(Clone, Debug)]
enum Operand {
    Value(usize),
    Param(usize),
    Constant(i64),
}

#[derive(Clone, Debug)]
enum Step {
    Binary { op: usize, a: Operand, b: Operand },
    LoadLocal { local: usize },
    StoreLocal { local: usize, value: Operand },
    LoadGlobal { global: usize, order: usize },
    StoreGlobal { global: usize, value: Operand, narrow: bool, order: usize },
    Call { callee: usize, argument: Operand },
}

impl Step {
    fn gives_value(&self) -> bool {
        !matches!(self, Step::StoreLocal { .. } | Step::StoreGlobal { .. })
    }
}

/// Every value has a number of its own and is used in its block, so nothing is dead.
#[derive(Clone, Debug)]
struct Block {
    steps: Vec<(usize, Step)>,
    predicate: usize,
    condition: Operand,
    successors: Vec<usize>,
    /// A phi node has this constant more than the number of the block it comes from.
    phi: Option<i64>,
}

#[derive(Clone, Debug)]
struct Function {
    params: usize,
    locals: usize,
    blocks: Vec<Block>,
}

const BINARY: [&str; 6] = ["add", "sub", "mul", "xor", "shl", "sdiv"];
const PREDICATES: [&str; 4] = ["eq", "slt", "sle", "ult"];
const ORDERS: [&str; 3] = ["", "monotonic", "seq_cst"];

fn generate(random: &mut Random) -> Function {
    let (params, locals) = (1 + random.below(3), 1 + random.below(3));
    let count = 1 + random.below(5);
    let mut next = 0;
    let mut constant = 100;
    // What the first block has computed may be used in all others.
    let mut anchors: Vec<usize> = Vec::new();
    let blocks = (0..count)
        .map(|number| {
            let mut steps: Vec<(usize, Step)> = Vec::new();
            let mut unused: Vec<usize> = Vec::new();
            let mut fresh: Vec<usize> = Vec::new();
            // So that no two blocks are alike.
            constant += 1;
            let own = Operand::Constant(constant);
            steps
                .push((next, Step::StoreGlobal { global: 3, value: own, narrow: false, order: 0 }));
            next += 1;
            for _ in 0..1 + random.below(6) {
                let operand = |random: &mut Random, unused: &mut Vec<usize>, constant: &mut i64| {
                    if !unused.is_empty() && random.below(3) > 0 {
                        return Operand::Value(unused.swap_remove(random.below(unused.len())));
                    }
                    *constant += 1;
                    match random.below(3) {
                        0 => Operand::Param(random.below(params)),
                        1 if number > 0 && !anchors.is_empty() => {
                            Operand::Value(anchors[random.below(anchors.len())])
                        }
                        _ => Operand::Constant(*constant),
                    }
                };
                let step = match random.below(6) {
                    0 => Step::Binary {
                        op: random.below(BINARY.len()),
                        a: operand(random, &mut unused, &mut constant),
                        b: operand(random, &mut unused, &mut constant),
                    },
                    1 => Step::LoadLocal { local: random.below(locals) },
                    2 => Step::StoreLocal {
                        local: random.below(locals),
                        value: operand(random, &mut unused, &mut constant),
                    },
                    3 => Step::LoadGlobal { global: random.below(3), order: random.below(3) },
                    4 => Step::StoreGlobal {
                        global: random.below(3),
                        value: operand(random, &mut unused, &mut constant),
                        narrow: false,
                        order: random.below(3),
                    },
                    _ => Step::Call {
                        callee: random.below(3),
                        argument: operand(random, &mut unused, &mut constant),
                    },
                };
                if step.gives_value() {
                    unused.push(next);
                    if number == 0 {
                        fresh.push(next);
                    }
                }
                steps.push((next, step));
                next += 1;
            }
            for value in unused {
                let value = Operand::Value(value);
                steps.push((next, Step::StoreGlobal { global: 3, value, narrow: false, order: 0 }));
                next += 1;
            }
            anchors.extend(fresh);
            let last = number + 1 == count;
            let mut successors = vec![if last { count } else { number + 1 }];
            if count > 1 && random.below(2) == 0 {
                let other = random.below(count);
                if other != 0 && other != successors[0] {
                    successors.push(other);
                }
            }
            constant += 1;
            Block {
                steps,
                predicate: random.below(PREDICATES.len()),
                condition: Operand::Constant(constant),
                successors,
                phi: (number > 0 && random.below(2) == 0).then_some(constant * 100),
            }
        })
        .collect();
    Function { params, locals, blocks }
}

/// How a function is written down.
struct Form<'r> {
    prefix: &'r str,
    shuffle: Option<&'r mut Random>,
    debug: bool,
}

fn render(function: &Function, name: &str, form: Form) -> String {
    let Form { prefix, shuffle, debug } = form;
    let line = if debug { ", !dbg !9" } else { "" };
    let value = |operand: &Operand| match operand {
        Operand::Value(number) => format!("%{prefix}v{number}"),
        Operand::Param(number) => format!("%{prefix}p{number}"),
        Operand::Constant(number) => number.to_string(),
    };
    let params: Vec<String> =
        (0..function.params).map(|at| format!("i32 %{prefix}p{at}")).collect();
    let mut text = format!("define i32 @{name}({})", params.join(", "));
    text += if debug { " !dbg !8 {\n" } else { " {\n" };
    writeln!(text, "{prefix}entry:").unwrap();
    for local in 0..function.locals {
        writeln!(text, "  %{prefix}l{local} = alloca i32{line}").unwrap();
    }
    writeln!(text, "  store i32 99, ptr @g3{line}\n  br label %{prefix}b0{line}").unwrap();
    let mut order: Vec<usize> = (0..function.blocks.len()).collect();
    if let Some(random) = shuffle {
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at + 1));
        }
    }
    for number in order {
        let block = &function.blocks[number];
        writeln!(text, "{prefix}b{number}:").unwrap();
        if let Some(base) = block.phi {
            let edges: Vec<String> = (0..function.blocks.len())
                .filter(|from| function.blocks[*from].successors.contains(&number))
                .map(|from| format!("[ {}, %{prefix}b{from} ]", base + from as i64))
                .collect();
            let phi = edges.join(", ");
            writeln!(text, "  %{prefix}phi{number} = phi i32 {phi}{line}").unwrap();
            writeln!(text, "  store i32 %{prefix}phi{number}, ptr @g3{line}").unwrap();
        }
        for (result, step) in &block.steps {
            let written = match step {
                Step::Binary { op, a, b } => {
                    format!("{} i32 {}, {}", BINARY[*op], value(a), value(b))
                }
                Step::LoadLocal { local } => format!("load i32, ptr %{prefix}l{local}"),
                Step::StoreLocal { local, value: stored } => {
                    format!("store i32 {}, ptr %{prefix}l{local}", value(stored))
                }
                Step::LoadGlobal { global, order: 0 } => format!("load i32, ptr @g{global}"),
                Step::LoadGlobal { global, order } => {
                    format!("load atomic i32, ptr @g{global} {}, align 4", ORDERS[*order])
                }
                Step::StoreGlobal { global, narrow: true, .. } => {
                    format!("store i16 7, ptr @g{global}")
                }
                Step::StoreGlobal { global, value: stored, order: 0, .. } => {
                    format!("store i32 {}, ptr @g{global}", value(stored))
                }
                Step::StoreGlobal { global, value: stored, order, .. } => format!(
                    "store atomic i32 {}, ptr @g{global} {}, align 4",
                    value(stored),
                    ORDERS[*order]
                ),
                Step::Call { callee, argument } => {
                    format!("call i32 @f{callee}(i32 {})", value(argument))
                }
            };
            let target =
                if step.gives_value() { format!("%{prefix}v{result} = ") } else { String::new() };
            writeln!(text, "  {target}{written}{line}").unwrap();
        }
        match block.successors[..] {
            [only] => writeln!(text, "  br label %{prefix}b{only}{line}").unwrap(),
            _ => {
                let condition = value(&block.condition);
                let predicate = PREDICATES[block.predicate];
                writeln!(
                    text,
                    "  %{prefix}c{number} = icmp {predicate} i32 %{prefix}p0, {condition}{line}"
                )
                .unwrap();
                let [yes, no] = [block.successors[0], block.successors[1]];
                writeln!(
                    text,
                    "  br i1 %{prefix}c{number}, label %{prefix}b{yes}, label %{prefix}b{no}{line}"
                )
                .unwrap();
            }
        }
    }
    let end = function.blocks.len();
    writeln!(text, "{prefix}b{end}:\n  ret i32 %{prefix}p0{line}\n}}").unwrap();
    text
}

/// One change that alters what the function does; None if it has nothing to change.
fn mutate(function: &Function, kind: usize, random: &mut Random) -> Option<Function> {
    let mut mutant = function.clone();
    let at = random.below(mutant.blocks.len());
    let block = &mut mutant.blocks[at];
    let start = random.below(block.steps.len());
    let count = block.steps.len();
    let steps = (0..count).map(|place| (start + place) % count);
    if kind == 0 {
        let swapped = block.successors.len() == 2;
        block.successors.reverse();
        return swapped.then_some(mutant);
    }
    if kind == 1 {
        block.predicate = (block.predicate + 1) % PREDICATES.len();
        return (block.successors.len() == 2).then_some(mutant);
    }
    if kind == 8 {
        block.phi = block.phi.map(|base| base + 7);
        return block.phi.is_some().then_some(mutant);
    }
    for place in steps {
        let changed = match (&mut block.steps[place].1, kind) {
            (Step::Binary { op, .. }, 2) => {
                *op = (*op + 1) % BINARY.len();
                true
            }
            (Step::Call { callee, .. }, 3) => {
                *callee = (*callee + 1) % 3;
                true
            }
            (Step::LoadGlobal { global, .. } | Step::StoreGlobal { global, .. }, 4) => {
                *global = (*global + 1) % 4;
                true
            }
            (Step::LoadGlobal { order, .. } | Step::StoreGlobal { order, .. }, 5) => {
                *order = (*order + 1) % ORDERS.len();
                true
            }
            (
                Step::StoreGlobal {
                    narrow, value: Operand::Constant(_) | Operand::Param(_), ..
                },
                6,
            ) => {
                *narrow = true;
                true
            }
            (Step::Call { argument: Operand::Constant(number), .. }, 7) => {
                *number += 1000;
                true
            }
            (Step::StoreLocal { value: Operand::Constant(number), .. }, 7) => {
                *number += 1000;
                // It may be overwritten before it is read, and is then no difference.
                false
            }
            _ => false,
        };
        if changed {
            return Some(mutant);
        }
    }
    None
}

const KINDS: usize = 9;

fn entries(functions: &[String]) -> Vec<Residual> {
    let mut module = String::from("target triple = \"x86_64-pc-linux-gnu\"\n");
    for global in 0..4 {
        writeln!(module, "@g{global} = external global i32").unwrap();
    }
    for callee in 0..3 {
        writeln!(module, "declare i32 @f{callee}(i32)").unwrap();
    }
    functions.iter().for_each(|text| module += text);
    module += "!llvm.module.flags = !{!0}\n!llvm.dbg.cu = !{!1}\n\
        !0 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
        !1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)\n\
        !2 = !DIFile(filename: \"unit.c\", directory: \"/\")\n!3 = !DISubroutineType(types: !{})\n\
        !8 = distinct !DISubprogram(name: \"f\", file: !2, line: 1, type: !3, unit: !1, \
        spFlags: DISPFlagDefinition)\n!9 = !DILocation(line: 3, scope: !8)\n";
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(module.as_bytes(), "unit");
    let module = context.create_module_from_ir(buffer).unwrap_or_else(|error| panic!("{error}"));
    let bitcode = module.write_bitcode_to_memory();
    let table = instrument(bitcode.as_slice(), "unit").unwrap().table;
    // The first event of each function is a store at its head.
    let mut found = Vec::new();
    for (index, function) in table.functions.iter().enumerate() {
        if function.frame.size == 0 {
            continue;
        }
        let site = table.sites.iter().find(|site| site.function as usize == index);
        found.push(site.unwrap().before.clone().unwrap());
    }
    found
}

#[test]
fn digests_of_generated_functions() {
    let count: u64 =
        std::env::var("LENO_FUZZ_DIGESTS").map_or(10_000, |count| count.parse().unwrap());
    let mut random = Random(0x5eed_0001);
    let mut changed = [0; KINDS];
    for _ in 0..count.div_ceil(50) {
        let originals: Vec<Function> = (0..50).map(|_| generate(&mut random)).collect();
        let mut texts = Vec::new();
        let mut expected = Vec::new();
        for (number, function) in originals.iter().enumerate() {
            let mut add = |function: &Function, form: Form, expectation: Option<usize>| {
                texts.push(render(function, &format!("t{}", texts.len()), form));
                expected.push((number, expectation));
            };
            add(function, Form { prefix: "x", shuffle: None, debug: false }, None);
            add(
                function,
                Form { prefix: "renamed.", shuffle: Some(&mut random), debug: false },
                None,
            );
            let kind = random.below(KINDS);
            if let Some(mutant) = mutate(function, kind, &mut random) {
                add(&mutant, Form { prefix: "x", shuffle: None, debug: false }, Some(kind));
            }
        }
        let digests = entries(&texts);
        assert_eq!(digests.len(), texts.len());
        for ((number, expectation), (digest, text)) in
            expected.iter().zip(digests.iter().zip(&texts))
        {
            let original = expected.iter().position(|(other, _)| other == number).unwrap();
            match expectation {
                None => {
                    assert_eq!(
                        digest.digest, digests[original].digest,
                        "{}\n{text}",
                        texts[original]
                    );
                    assert_eq!(digest.live.len(), digests[original].live.len());
                }
                Some(kind) => {
                    assert_ne!(
                        digest.digest, digests[original].digest,
                        "{}\n{text}",
                        texts[original]
                    );
                    changed[*kind] += 1;
                }
            }
        }
    }
    assert!(changed.iter().all(|count| *count > 0), "{changed:?}");
}

#[test]
fn debug_positions_of_generated_functions_make_no_difference() {
    let mut random = Random(0x5eed_0002);
    for _ in 0..300 {
        let function = generate(&mut random);
        let plain = render(&function, "f", Form { prefix: "x", shuffle: None, debug: false });
        let placed = render(&function, "f", Form { prefix: "x", shuffle: None, debug: true });
        assert_eq!(entries(&[plain])[0].digest, entries(&[placed])[0].digest);
    }
}
