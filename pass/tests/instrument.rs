//! Snippets of C through the pass: which hooks, which sites, which slots.

use inkwell::{context::Context, memory_buffer::MemoryBuffer, module::Module};
use leno_model::site::{Function, SiteKind, Type, UnitTable, Variable};
use leno_pass::{Error, instrument};
use std::{fs, process::Command};

/// An instrumented snippet: its code as text, and its table.
struct Unit {
    code: String,
    table: UnitTable,
}

fn bitcode(name: &str, source: &str, flags: &[&str]) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(name), source).unwrap();
    let clang = if name.ends_with(".cpp") { "clang++-22" } else { "clang-22" };
    let status = Command::new(clang)
        .args(["-g", "-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-O0-optnone"])
        .args(["-w", "-fno-discard-value-names", "-emit-llvm", "-c", "-o", "out.bc", name])
        .args(flags)
        .current_dir(directory.path())
        .status()
        .unwrap();
    assert!(status.success());
    fs::read(directory.path().join("out.bc")).unwrap()
}

fn text(bitcode: &[u8]) -> String {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "");
    let module = Module::parse_bitcode_from_buffer(&buffer, &context).unwrap();
    module.print_to_string().to_string()
}

fn unit_of(name: &str, source: &str, flags: &[&str]) -> Unit {
    let instrumented = instrument(&bitcode(name, source, flags), name).unwrap();
    Unit { code: text(&instrumented.bitcode), table: instrumented.table }
}

fn unit(source: &str) -> Unit {
    unit_of("unit.c", source, &[])
}

impl Unit {
    fn function(&self, name: &str) -> &Function {
        self.table.functions.iter().find(|function| function.name == name).unwrap()
    }

    /// The code of one function.
    fn body(&self, name: &str) -> &str {
        let start = self.code.find(&format!("@{name}(")).unwrap();
        let start = self.code[..start].rfind("define").unwrap();
        let end = self.code[start..].find("\n}\n").unwrap();
        &self.code[start..start + end]
    }

    /// The kinds of a function's sites with their lines.
    fn sites(&self, name: &str) -> Vec<(String, u32)> {
        let index = self.table.functions.iter().position(|function| function.name == name);
        let sites = self.table.sites.iter().filter(|site| Some(site.function as usize) == index);
        sites.map(|site| (kind(&site.kind), site.at.line)).collect()
    }

    fn kinds(&self, name: &str) -> Vec<String> {
        self.sites(name).into_iter().map(|(kind, _)| kind).collect()
    }

    fn slots(&self, name: &str) -> Vec<&str> {
        let slots = &self.function(name).frame.slots;
        slots.iter().filter_map(|slot| slot.name.as_deref()).collect()
    }

    fn global(&self, name: &str) -> &Variable {
        self.table.globals.iter().find(|variable| variable.name == name).unwrap()
    }

    fn type_of(&self, index: u32) -> &Type {
        &self.table.types[index as usize]
    }
}

fn kind(kind: &SiteKind) -> String {
    match kind {
        SiteKind::Read => "read".into(),
        SiteKind::Write => "write".into(),
        SiteKind::Copy => "copy".into(),
        SiteKind::AtomicRead => "load".into(),
        SiteKind::AtomicWrite => "store".into(),
        SiteKind::ReadModifyWrite(name) => name.clone(),
        SiteKind::CompareExchange => "cas".into(),
        SiteKind::Fence => "fence".into(),
        SiteKind::Loop => "loop".into(),
        SiteKind::Call(name) => format!("call {}", name.as_deref().unwrap_or("?")),
    }
}

#[test]
fn a_loop_is_counted_where_its_body_begins_and_anew_when_it_is_entered() {
    let unit = unit(
        "int x;\nvoid f(int n) {\n  while (n > 0 && x)\n    n--;\n  do {\n    n++;\n  } while (n < 3); }\nvoid g(void) { x = 1; }",
    );
    let loops: Vec<_> = unit
        .sites("f")
        .into_iter()
        .filter(|(kind, _)| kind == "loop")
        .map(|(_, line)| line)
        .collect();
    assert_eq!(loops, [3, 7]);
    let body = unit.body("f");
    // Both look at the bound. The condition of the first, two blocks, is none of its body.
    assert_eq!(body.matches("load i32, ptr @__leno_unroll").count(), 2);
    assert_eq!(body.matches("invariant.load").count(), 2);
    let told = |from| body.lines().filter(|l| l.contains("@__leno_") && l.contains(from)).count();
    assert_eq!(told("i32 0)"), 1, "the first is told of each time it begins");
    assert_eq!(told("i32 1)"), 1, "the second from the second time on");
    assert_eq!(body.matches("store i32 0, ptr %leno.rounds").count(), 2);
    assert!(!unit.body("g").contains("leno_unroll"));
}

#[test]
fn shared_accesses_are_hooked_and_volatile_private_ones_are_neither() {
    let unit = unit(
        "int x, y[4]; const int c = 3;\nint f(int *p) {\n  int l = c;\n  x = l;\n  return y[1] + *p; }",
    );
    let expected = [("write", 4), ("read", 5), ("read", 5)];
    assert_eq!(unit.sites("f"), expected.map(|(kind, line)| (kind.to_owned(), line)));
    let body = unit.body("f");
    assert_eq!(body.matches("call void @__leno_read(").count(), 2);
    assert_eq!(body.matches("call void @__leno_write(").count(), 1);
    assert_eq!(body.matches("volatile").count(), 3);
}

#[test]
fn an_address_that_gets_out_makes_a_variable_shared() {
    let unit = unit(
        "int *g; void h(int *);\n\
         int kept(void) { int a[3]; a[1] = 2; return a[1]; }\n\
         int passed(void) { int a = 1; h(&a); return a; }\n\
         int stored(void) { int a = 1; g = &a; return a; }",
    );
    assert!(unit.kinds("kept").is_empty());
    assert_eq!(unit.function("kept").frame.size, 0);
    // Before the call and behind it.
    assert_eq!(unit.kinds("passed"), ["write", "call h", "call h", "read"]);
    assert_eq!(unit.kinds("stored"), ["write", "write", "read"]);
}

#[test]
fn copies_name_only_what_is_shared() {
    let unit = unit(
        "struct s { int a[10]; } g, k; const struct s c = {{1}};\n\
         void both(void) { g = k; }\n\
         int out(void) { struct s l = g; return l.a[2]; }\n\
         void in(void) { struct s l = {{1}}; g = l; }\n\
         void constant(void) { g = c; }\n\
         void fill(void) { __builtin_memset(&g, 0, sizeof g); }",
    );
    assert_eq!(unit.kinds("both"), ["copy"]);
    assert_eq!(unit.kinds("out"), ["read"]);
    assert_eq!(unit.kinds("in"), ["write"]);
    assert_eq!(unit.kinds("constant"), ["write"]);
    assert_eq!(unit.kinds("fill"), ["write"]);
    assert!(unit.body("both").contains("i64 40, i1 true)"), "the copy is volatile");
}

#[test]
fn atomics_become_calls_with_their_mode() {
    let unit = unit(
        "_Atomic int i; _Atomic(char *) p; _Atomic double d; _Atomic short s;\n\
         int f(void) {\n\
           int e = 0;\n\
           __c11_atomic_store(&i, 5, __ATOMIC_RELEASE);\n\
           __c11_atomic_fetch_sub(&s, 1, __ATOMIC_RELAXED);\n\
           __c11_atomic_exchange(&p, (char *)0, __ATOMIC_ACQ_REL);\n\
           __c11_atomic_store(&d, 1.5, __ATOMIC_SEQ_CST);\n\
           __c11_atomic_thread_fence(__ATOMIC_ACQUIRE);\n\
           __c11_atomic_signal_fence(__ATOMIC_SEQ_CST);\n\
           __c11_atomic_compare_exchange_weak(&i, &e, 7, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);\n\
           return __c11_atomic_load(&i, __ATOMIC_ACQUIRE); }",
    );
    assert_eq!(unit.kinds("f"), ["store", "sub", "xchg", "store", "fence", "cas", "load"]);
    let body = unit.body("f");
    let mode = |size: u32, order: u32, failure: u32, operation: u32, weak: u32| {
        format!(", i32 {})", size | order << 8 | failure << 12 | operation << 16 | weak << 24)
    };
    for (name, mode) in [
        ("store(", mode(4, 2, 0, 0, 0)),
        ("rmw(", mode(2, 0, 0, 2, 0)),
        ("rmw(", mode(8, 3, 0, 0, 0)),
        ("store(", mode(8, 4, 0, 0, 0)),
        ("cas(", mode(4, 4, 1, 0, 1)),
        ("load(", mode(4, 1, 0, 0, 0)),
    ] {
        let call =
            |line: &&str| line.contains(&format!("@__leno_atomic_{name}")) && line.contains(&mode);
        assert!(body.lines().any(|line| call(&line)), "{name}{mode} is not in {body}");
    }
    assert!(body.contains("@__leno_fence(") && body.contains("i32 1)"));
    assert!(body.contains("fence syncscope(\"singlethread\") seq_cst"));
    assert!(
        !body.contains(" atomicrmw ") && !body.contains(" cmpxchg ") && !body.contains(" atomic ")
    );
}

#[test]
fn calls_of_libatomic_are_atomics_too() {
    let unit = unit(
        "struct pair { long a, b; }; _Atomic struct pair p; _Atomic struct { long w[3]; } big;\n\
         struct pair f(struct pair v) {\n\
           struct pair e = __c11_atomic_load(&p, __ATOMIC_ACQUIRE);\n\
           __c11_atomic_store(&p, v, __ATOMIC_RELEASE);\n\
           __c11_atomic_compare_exchange_strong(&p, &e, v, 5, 5);\n\
           return __c11_atomic_exchange(&p, v, 5); }\n\
         long g(void) { return __c11_atomic_load(&big, 5).w[0]; }",
    );
    assert_eq!(unit.kinds("f"), ["load", "store", "cas", "xchg"]);
    for name in ["load_16", "store_16", "cas_16", "rmw_16"] {
        assert!(unit.body("f").contains(&format!("@__leno_atomic_{name}(")), "{name}");
    }
    assert!(unit.kinds("g").contains(&"call __atomic_load".to_owned()));
}

#[test]
fn unseen_code_that_gets_a_pointer_is_announced() {
    let unit = unit(
        "void far(int, char *, long); int number(int); static void near(int *p) { }\n\
         void stop(char *) __attribute__((noreturn)); int x;\n\
         void f(char *s, void (*h)(void *), void (*n)(int)) {\n\
           far(1, s, -1); number(3); near(&x); h(s); n(3); }\n\
         void g(char *s) { stop(s); }\n\
         void a(int *p, int i) {\n\
           __asm__(\"\" : : \"r\"(p)); __asm__(\"nop\" : : \"r\"(i)); __asm__(\"roll (%0)\" : : \"r\"(p)); }",
    );
    // What is announced has a second site, where it has returned.
    let far = ["call far", "call far"];
    let expected = [&far[..], &["call number", "call near", "call ?", "call ?", "call ?"]].concat();
    assert_eq!(unit.kinds("f"), expected);
    assert_eq!(unit.body("f").matches("@__leno_extern(").count(), 2);
    assert_eq!(unit.body("f").matches("@__leno_returned(").count(), 2);
    assert!(unit.body("f").contains("ptr @far, i32 3, i64 1, i64"));
    assert!(!unit.body("g").contains("@__leno_extern("));
    assert_eq!(unit.kinds("a"), ["call asm"]);
    assert!(unit.body("a").contains("ptr null, i32 1"));
}

#[test]
fn numbers_that_may_be_addresses_are_looked_at_where_they_are_computed_with() {
    let unit = unit(
        "union { void *p; long n; int half; } u; int number; extern long out(long);\n\
         typedef unsigned long handle; int pthread_join(handle, void **); handle t[2];\n\
         static long defined(long n) { return n; }\n\
         void kept(long *p) { *p = u.n; if (u.n) defined(u.n); pthread_join(t[1], 0); }\n\
         long given(long n) { return n + 1; }\n\
         long given_on(long n) { long m = n; return m; }\n\
         long whole(void) { long n = u.n; return n * 31; }\n\
         int half(void) { return u.half; }\n\
         long let_out(void) { return out(u.n); }\n\
         long back(void) { return -out(0); }\n\
         long own(void) { long s = 0; int a[3] = {1, 2, 3};\n\
           for (long i = 0; i < 3; i++) s += i * a[i]; return s + number; }\n\
         long united(void *p) { union { void *p; long n; } u = {p}; return u.n ^ 1; }\n\
         long copied(void *p) { long n; __builtin_memcpy(&n, &p, 8); return n ^ 1; }\n\
         long updated(long *p) { return __atomic_fetch_add(p, 0, 5) ^ 1; }\n\
         int part(_Atomic int *p) { return *p; }\n\
         int segment(void) { return *(int __seg_fs *)40; }\n\
         unsigned copied_part(void *p) { unsigned n; __builtin_memcpy(&n, &p, 4); return n; }\n\
         typedef long two __attribute__((vector_size(16)));\n\
         two wide(two *p) { return *p; }\n\
         register long stack __asm__(\"rsp\"); long in_register(void) { return stack * 3; }\n\
         long masked(char *p) { return p - __builtin_align_down(p, 64); }\n\
         long aligned(char *p) { return p - __builtin_align_down(p, 16); }\n\
         long apart(char *p, char *q) { return p - q; }\n\
         long inside(char *p) { return &p[3] - p; }",
    );
    let looks = |name: &str| {
        let count = |hook: &str| unit.body(name).matches(hook).count();
        (count("@__leno_number("), count("@__leno_number_in("))
    };
    let tells = |name: &str, hook: &str| unit.body(name).matches(hook).count();
    assert_eq!(tells("copied", "@__leno_part("), 1);
    assert_eq!(tells("copied_part", "@__leno_part("), 1);
    assert_eq!(tells("apart", "@__leno_distance("), 1);
    let cases = [
        ("kept", (0, 0)),
        ("given", (1, 0)),
        ("given_on", (0, 0)),
        ("defined", (0, 0)),
        ("whole", (1, 0)),
        ("half", (0, 1)),
        ("let_out", (1, 0)),
        ("back", (1, 0)),
        ("own", (0, 0)),
        ("united", (1, 0)),
        ("copied", (1, 0)),
        ("updated", (1, 0)),
        ("part", (0, 1)),
        ("segment", (0, 0)),
        ("wide", (0, 2)),
        ("in_register", (1, 0)),
        ("masked", (1, 0)),
        ("aligned", (0, 0)),
    ];
    for (name, expected) in cases {
        assert_eq!(looks(name), expected, "{name}: {}", unit.body(name));
    }
}

#[test]
fn assembly_becomes_the_atomics_that_it_is() {
    let unit = unit(
        "int x; char c; long l; void *p; unsigned __int128 w; struct { char v[8]; } s; _Bool z;\n\
         #define A __asm__ volatile\n\
         void add(int v) { A(\"lock; xaddl %0, %1\" : \"+r\"(v), \"+m\"(x) : : \"memory\", \"cc\"); }\n\
         void swap(long v) { A(\"xchgq %0, %1\" : \"+r\"(v), \"+m\"(s) : : \"memory\"); }\n\
         void cas(char e, char n) { A(\"lock cmpxchgb %2, %0\" : \"+m\"(c), \"+a\"(e) : \"q\"(n)); }\n\
         void wide(long a, long d, long b, long k) {\n\
           A(\"lock; cmpxchg16b %0\" : \"+m\"(w), \"+a\"(a), \"+d\"(d) : \"b\"(b), \"c\"(k)); }\n\
         long load(void) { long r; A(\"movq %1, %0\" : \"=r\"(r) : \"m\"(l)); return r; }\n\
         void store(long v) { A(\"mov %1, %0\" : \"=m\"(l) : \"r\"(v)); }\n\
         void unlocked(void) { A(\"incl %0\" : \"+m\"(x)); }\n\
         void through(int *q) { A(\"lock; orl $4, 8(%0)\" : : \"r\"(q) : \"memory\"); }\n\
         void fence(void) { A(\"mfence\" : : : \"memory\"); A(\"lock; addl $0, (%%rsp)\" : : : \"memory\"); }\n\
         void wait(int *q) { A(\"rep; nop\" : : : \"memory\"); A(\"prefetchw (%0)\" : : \"r\"(q) : \"memory\"); }\n\
         int local(void) { int v = 1; A(\"lock; incl %0\" : \"+m\"(v)); return v; }",
    );
    for (name, expected) in [
        ("add", &["add"][..]),
        ("swap", &["xchg"]),
        ("cas", &["cas"]),
        ("wide", &["cas"]),
        ("load", &["load"]),
        ("store", &["store"]),
        ("unlocked", &["load", "store"]),
        ("through", &["or"]),
        ("fence", &["fence", "fence"]),
        ("wait", &[]),
        ("local", &[]),
    ] {
        assert_eq!(unit.kinds(name), expected, "{name}");
        assert_eq!(unit.body(name).contains(" asm "), name == "wait", "{name}");
    }
    // A lock prefix orders everything, a load acquires, a store releases.
    assert!(unit.body("add").contains(&format!("i32 {})", 4 | 4 << 8 | 1 << 16)));
    assert!(unit.body("load").contains(&format!("i32 {})", 8 | 1 << 8)));
    assert!(unit.body("store").contains(&format!("i32 {})", 8 | 2 << 8)));
}

#[test]
fn assembly_that_is_not_understood_is_known_by_its_operands_or_not_at_all() {
    let unit = unit(
        "int x, y; long l;\n\
         #define A __asm__ volatile\n\
         void update(void) { A(\"roll $1, %0\" : \"+m\"(x)); }\n\
         void read(int r) { A(\"bsfl %1, %0\" : \"=r\"(r) : \"m\"(x)); }\n\
         void both(void) { A(\"fldcw %1; fnstcw %0\" : \"=m\"(y) : \"m\"(x)); }\n\
         void elsewhere(void) { A(\"roll $1, %0\" : \"+m\"(x) : : \"memory\"); }\n\
         void partly(void) { A(\"lock; incl %0; roll $1, %0\" : \"+m\"(x)); }\n\
         void address(int *q) { A(\"roll $1, (%0)\" : : \"r\"(q)); }\n\
         void number(long q) { A(\"roll $1, (%0)\" : : \"r\"(q) : \"memory\"); }\n\
         void jump(int r) { A goto(\"lock; decl %0; jz %l1\" : : \"m\"(x) : \"memory\" : out); out: ; }\n\
         void nothing(int i) { A(\"roll $1, %0\" : \"+r\"(i)); }",
    );
    for (name, expected) in [
        ("update", &["copy"][..]),
        ("read", &["read"]),
        ("both", &["copy"]),
        ("elsewhere", &["call asm"]),
        ("partly", &["copy"]),
        ("address", &["call asm"]),
        ("number", &["call asm"]),
        ("jump", &["call asm"]),
        ("nothing", &[]),
    ] {
        assert_eq!(unit.kinds(name), expected, "{name}");
        assert!(unit.body(name).contains(" asm "), "{name}");
    }
    assert!(unit.body("both").contains("@__leno_assembly("));
}

#[test]
fn the_record_holds_variables_and_values_that_live_across() {
    let unit = unit(
        "int g(int); int x;\n\
         int f(int n) { int kept = n; char text[5] = {0}; { long inner = 3; kept += inner; }\n\
           return x + g(kept) + text[0]; }\n\
         int leaf(int n) { return n + 1; }",
    );
    assert_eq!(unit.slots("f"), ["n", "kept", "text", "inner"]);
    let frame = &unit.function("f").frame;
    let slot =
        |name: &str| frame.slots.iter().find(|slot| slot.name.as_deref() == Some(name)).unwrap();
    assert_eq!((slot("text").size, slot("inner").size, slot("inner").offset % 8), (5, 8, 0));
    assert_eq!(unit.type_of(slot("n").ty.unwrap()), &Type::Signed { name: "int".into(), size: 4 });
    assert!(
        frame.slots.iter().all(|slot| slot.offset >= 24 && slot.offset + slot.size <= frame.size)
    );
    // `x` is read before the call of `g` and needed after it.
    assert!(frame.slots.iter().any(|slot| slot.name.is_none() && slot.size == 4));
    assert_eq!(unit.function("leaf").frame.size, 0);
    assert!(!unit.body("leaf").contains("leno"));
}

#[test]
fn slots_do_not_overlap_and_keep_their_alignment() {
    let unit = unit(
        "void h(void *); void f(void) { char a; _Alignas(64) char b[3]; short c; long double d; h(&a); h(b); h(&c); h(&d); }",
    );
    let mut slots = unit.function("f").frame.slots.clone();
    slots.sort_by_key(|slot| slot.offset);
    assert!(slots.windows(2).all(|pair| pair[0].offset + pair[0].size <= pair[1].offset));
    let b = slots.iter().find(|slot| slot.name.as_deref() == Some("b")).unwrap();
    assert_eq!(b.offset % 64, 0);
    assert!(unit.body("f").contains("align 64"));
}

#[test]
fn a_copied_parameter_is_part_of_the_record() {
    let unit = unit(
        "struct s { int a[9]; } g; int x; int f(struct s v) { x = 1; return v.a[2]; }\nint h(void) { return f(g); }",
    );
    assert_eq!(unit.slots("f"), ["v"]);
    assert_eq!(unit.kinds("h"), ["read", "call f"], "the copy that is passed is private");
}

/// The code of a function, with the thread's list of frame records by its name wherever
/// something is stored to it.
fn with_frame_list(body: &str) -> String {
    const PLACE: &str = " = call ptr @llvm.threadlocal.address.p0(ptr @__leno_frame)";
    let mut code = String::new();
    let mut places = Vec::new();
    for line in body.lines() {
        if let Some((place, _)) = line.split_once(PLACE) {
            places.push(format!(", ptr {},", place.trim()));
            continue;
        }
        let is_store = line.trim_start().starts_with("store ");
        let place = places.iter().find(|place| is_store && line.contains(*place));
        let named = |place: &String| line.replacen(place, ", ptr @__leno_frame,", 1);
        code += &place.map_or_else(|| line.to_string(), named);
        code.push('\n');
    }
    code
}

#[test]
fn frames_are_linked_unlinked_and_linked_again() {
    let unit = unit(
        "#include <setjmp.h>\njmp_buf b; void g(void);\n\
         int f(void) { if (setjmp(b)) return 1; g(); return 0; }",
    );
    let body = with_frame_list(unit.body("f"));
    let links = body.matches("store ptr %leno.record, ptr @__leno_frame").count();
    assert_eq!(links, 3, "at the entry, behind setjmp, behind a call that may unwind");
    let restored = body
        .lines()
        .filter(|line| line.contains("ptr @__leno_frame") && line.contains("store ptr %"))
        .count();
    assert_eq!(restored - links, body.matches("ret i32").count());
}

#[test]
fn a_guaranteed_tail_call_leaves_the_frame_first() {
    let unit = unit("int g(int); int f(int n) { __attribute__((musttail)) return g(n); }");
    let body = with_frame_list(unit.body("f"));
    let before: Vec<_> =
        body.split("%call = musttail").next().unwrap().lines().rev().skip(1).take(2).collect();
    assert!(before[0].contains("store ptr %") && before[0].contains("ptr @__leno_frame"), "{body}");
    assert!(before[1].contains("load ptr, ptr %leno.record"), "{body}");
}

#[test]
fn exceptions_come_back_to_a_linked_frame() {
    let source = "void g(); int x; struct D { ~D(); };\nint f() { D d; try { g(); } catch (int i) { g(); x = i; } return x; }";
    let unit = unit_of("unit.cpp", source, &[]);
    let body = with_frame_list(unit.body("_Z1fv"));
    let pads = body.matches("landingpad").count();
    assert!(pads >= 2);
    for part in body.split("landingpad").skip(1) {
        let block = part.split("\n\n").next().unwrap();
        assert!(block.contains("store ptr %leno.record, ptr @__leno_frame"), "{block}");
    }
    assert_eq!(unit.function("f").symbol, "_Z1fv");
}

#[test]
fn debug_info_follows_the_variables() {
    let unit = unit("void h(void); int f(int n) { int local = n; h(); return local; }");
    let body = unit.body("f");
    assert!(body.contains("#dbg_declare(ptr %local2,"), "{body}");
    assert!(body.contains("%local2 = getelementptr inbounds i8, ptr %leno.record"), "{body}");
}

#[test]
fn globals_have_their_types() {
    let unit = unit(
        "typedef struct { int key; struct node *next; } cell;\n\
         struct node { char tag; cell c[2][3]; struct node *self; unsigned flag : 3; union { float f; double d; }; };\n\
         enum colour { red = -1, blue = 5 };\n\
         struct node table[4]; static enum colour paint; __thread _Bool mine; volatile unsigned long big;\n\
         int f(void) { static int calls; paint = red; return ++calls; }",
    );
    let Type::Array { element, count: 4, .. } = unit.type_of(unit.global("table").ty.unwrap())
    else {
        panic!("table is an array")
    };
    let Type::Record { name, fields, size } = unit.type_of(*element) else { panic!("of records") };
    assert_eq!((name.as_str(), unit.global("table").size), ("node", 4 * size));
    let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["tag", "c", "self", "flag", ""]);
    assert_eq!(unit.type_of(fields[2].ty), &Type::Pointer { to: Some(*element) });
    let Type::Array { element: row, count: 2, size: 96 } = unit.type_of(fields[1].ty) else {
        panic!("{:?}", unit.type_of(fields[1].ty))
    };
    let Type::Array { element: cell, count: 3, size: 48 } = unit.type_of(*row) else { panic!() };
    assert!(matches!(unit.type_of(*cell), Type::Record { name, .. } if name == "cell"));
    let Type::Enum { values, .. } = unit.type_of(unit.global("paint").ty.unwrap()) else {
        panic!()
    };
    assert_eq!(values, &[("red".to_owned(), -1), ("blue".to_owned(), 5)]);
    assert!(unit.global("mine").thread_local);
    assert!(matches!(unit.type_of(unit.global("big").ty.unwrap()), Type::Unsigned { size: 8, .. }));
    let calls = unit.global("calls");
    assert_eq!(calls.symbol, "f.calls");
    assert_eq!(unit.table.functions[calls.function.unwrap() as usize].name, "f");
}

#[test]
fn files_and_positions_are_those_of_the_source() {
    let unit = unit("int x;\n#line 70 \"other.h\"\nint f(void) { return x; }\n");
    let site = &unit.table.sites[0];
    assert_eq!(unit.table.source, "unit.c");
    assert!(unit.table.directory.starts_with('/'));
    assert_eq!(unit.table.files[site.at.file as usize], "other.h");
    assert_eq!((site.at.line, site.at.column), (70, 22));
}

#[test]
fn inlined_code_names_the_callers() {
    let source = "int x;\nstatic inline __attribute__((always_inline)) int get(void) { return x; }\n\
                  int f(void) {\n  return get(); }";
    let directory = tempfile::tempdir().unwrap();
    let (plain, inlined) = (directory.path().join("a.bc"), directory.path().join("b.bc"));
    fs::write(&plain, bitcode("unit.c", source, &[])).unwrap();
    let status = Command::new("opt-22")
        .args(["-passes=always-inline"])
        .arg(&plain)
        .arg("-o")
        .arg(&inlined)
        .status();
    assert!(status.unwrap().success());
    let table = instrument(&fs::read(&inlined).unwrap(), "b.bc").unwrap().table;
    let site = table.sites.iter().find(|site| !site.inlined_at.is_empty()).unwrap();
    assert_eq!(table.functions[site.function as usize].name, "get");
    let (outer, at) = site.inlined_at[0];
    assert_eq!((table.functions[outer as usize].name.as_str(), at.line), ("f", 4));
}

#[test]
fn the_unit_registers_itself_first() {
    let unit = unit("int x; __attribute__((constructor)) static void c(void) { x = 1; }");
    assert!(unit.code.contains("@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @leno.register"));
    assert!(unit.code.contains("call void @__leno_register(ptr @leno.unit)"));
    let line = unit.code.lines().find(|line| line.starts_with("@leno.unit =")).unwrap();
    assert!(line.contains("private constant") && line.contains("section \".leno\", align 8"));
    assert!(unit.kinds("c").contains(&"write".to_owned()));
}

#[test]
fn promises_that_hooks_break_are_taken_back() {
    let unit = unit(
        "int x; __attribute__((pure)) int p(void) { return x; } __attribute__((const)) int q(int);\n\
         __attribute__((noinline, optnone)) int f(void) { return p() + q(1); }",
    );
    assert!(!unit.body("f").contains("optnone"));
    for line in unit.code.lines().filter(|line| line.starts_with("attributes #")) {
        let intrinsic = line.contains("nocallback");
        assert!(intrinsic || !(line.contains("memory(") || line.contains("willreturn")), "{line}");
    }
}

#[test]
fn some_functions_are_left_alone() {
    let unit = unit(
        "int x; __attribute__((naked)) void n(void) { __asm__(\"ret\"); }\n\
         static int one(void) { return x; } static int help(void) { return x; }\n\
         static void *choose(void) { return help() ? (void *)one : (void *)one; }\n\
         int chosen(void) __attribute__((ifunc(\"choose\")));",
    );
    for name in ["n", "choose", "help"] {
        assert!(!unit.body(name).contains("@__leno"), "{name}");
    }
    assert!(unit.body("one").contains("@__leno_read"));
}

#[test]
fn what_cannot_be_instrumented_is_refused_with_a_reason() {
    assert!(matches!(instrument(b"BC", "x.bc"), Err(Error::Unreadable { .. })));
    let other = bitcode("unit.c", "int x;", &["-m32"]);
    let error = instrument(&other, "unit.c").err().unwrap();
    assert!(error.to_string().contains("i386"), "{error}");
    let once = instrument(&bitcode("unit.c", "int x;", &[]), "unit.c").unwrap();
    assert!(matches!(instrument(&once.bitcode, "unit.c"), Err(Error::Instrumented { .. })));
}

#[test]
fn every_optimisation_level_of_the_front_end_is_understood() {
    let source = "#include <stdarg.h>\nint x; struct s { int a[9]; } g;\n\
        int f(int n, ...) { va_list l; va_start(l, n); int r = 0; while (n--) { int t = va_arg(l, int); r += t; { int u[n + 1]; u[n] = r; x += u[n]; } } va_end(l); return r; }\n\
        struct s h(struct s v) { v.a[0]++; g = v; return g; }";
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
        let unit = unit_of("unit.c", source, &[level]);
        assert!(unit.slots("f").contains(&"r") && unit.slots("h").contains(&"v"), "{level}");
        assert!(!unit.body("f").contains("lifetime.start.p0(ptr %r)"), "{level}");
    }
}

#[test]
fn other_names_of_a_function_are_in_the_table() {
    let plain = unit("int f(int *p) { return *p; } int g(int *) __attribute__((alias(\"f\")));");
    let symbols = |unit: &Unit| -> Vec<String> {
        unit.table.functions.iter().map(|function| function.symbol.clone()).collect()
    };
    assert_eq!(symbols(&plain), ["f", "g"]);
    // Constructors are for whole objects and for bases.
    let source = "struct s { int *p; s(int *q); }; s::s(int *q) : p(q) { *p = 1; }";
    let class = unit_of("unit.cpp", source, &["-O1", "-Xclang", "-mconstructor-aliases"]);
    for name in ["_ZN1sC1EPi", "_ZN1sC2EPi"] {
        assert!(symbols(&class).contains(&name.to_owned()), "{name}");
    }
}
