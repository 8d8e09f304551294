//! C++ as a user sees it: names, frames of the library, suppressions, both modes.

use leno_tests::{compile, expectation, leno, on_all_cores, programs, root, scratch};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
};

fn built(directory: &Path, source: &str, flags: &[&str]) {
    let file = directory.join("program.cpp");
    fs::write(&file, source).unwrap();
    compile(&file, flags, &directory.join("program")).expect("it compiles");
}

fn report(directory: &Path, options: &[&str]) -> Value {
    let args = [&["check", "--format", "json"], options, &["--", "./program"]].concat();
    leno(directory, &args).json().expect("a report")
}

const RACE_IN_A_VECTOR: &str = r#"
#include <thread>
#include <vector>
template <class T> struct Stack {
    std::vector<T> items;
    void push(const T &item) { items.push_back(item); }
};
static Stack<int> stack;
int main()
{
    std::thread thread([] { stack.push(1); });
    stack.push(2);
    thread.join();
}
"#;

#[test]
fn a_race_inside_the_library_is_told_with_the_users_line() {
    let directory = scratch();
    for flags in [&["-O0"], &["-O2"]] {
        built(directory.path(), RACE_IN_A_VECTOR, flags);
        let report = report(directory.path(), &[]);
        let access = &report["bugs"][0]["accesses"][0];
        assert_eq!(access["function"], "Stack<int>::push", "{report}");
        assert_eq!(access["line"], 6);
        let within = access["within"].as_str().unwrap_or_default();
        assert!(within.starts_with("std::vector<int"), "{within}");
    }
}

const THREE_BUGS: &str = r#"
#include <mutex>
#include <thread>
namespace app { static int counter; static int other; static std::mutex first, second; }
static void add() { app::counter++; }
static void more() { app::other++; }
static void lock(std::mutex &a, std::mutex &b)
{
    std::lock_guard<std::mutex> one(a), two(b);
}
int main()
{
    std::thread thread([] { add(); more(); lock(app::first, app::second); });
    add();
    more();
    lock(app::second, app::first);
    thread.join();
}
"#;

#[test]
fn suppressions_hide_what_they_name_and_nothing_else() {
    let directory = scratch();
    built(directory.path(), THREE_BUGS, &[]);
    let with = |text: &str| {
        fs::write(directory.path().join("known"), text).unwrap();
        report(directory.path(), &["--suppressions", "known"])
    };
    let kinds = |report: &Value| -> Vec<String> {
        let bugs = report["bugs"].as_array().expect("a list");
        bugs.iter().map(|bug| bug["kind"].as_str().unwrap_or_default().to_string()).collect()
    };
    // By function, by variable, by file and by a glob.
    let all = with("# known\n\nrace:^add\nrace:app::oth*r\ndeadlock:program.cpp\n");
    assert_eq!((&all["verdict"], all["bugs"].as_array().map(Vec::len)), (&"safe".into(), Some(0)));
    assert!(all["suppressed"].as_u64() >= Some(3), "{all}");
    assert!(all["suppressions"][1]["bugs"].as_u64() >= Some(1), "{all}");
    let deadlock = with("race:program\n");
    assert_eq!(kinds(&deadlock), ["deadlock"], "{deadlock}");
    let race = with("deadlock:lock\nrace:app::counter$\n");
    assert_eq!(kinds(&race), ["race"], "{race}");
    assert!(race["bugs"][0]["object"].as_str().is_some_and(|o| o.contains("other")), "{race}");
    // One for another kind of bug, and one for a library that is not there.
    let nothing = with("mutex:add\ncalled_from_lib:libother.so\nthread:main\n");
    assert_eq!((&nothing["suppressed"], kinds(&nothing).len()), (&0.into(), 1));
    let told = leno(directory.path(), &["check", "--suppressions", "known", "./program"]);
    assert!(!told.stdout.contains("hidden"), "{}", told.stdout);
    fs::write(directory.path().join("known"), "race:program\ndeadlock:program\n").unwrap();
    let told = leno(directory.path(), &["check", "--suppressions", "known", "./program"]);
    assert_eq!(told.status, Some(0));
    assert!(told.stdout.contains("none shows a bug that is not suppressed"), "{}", told.stdout);
    assert!(told.stdout.contains("deadlock:program (1)"), "{}", told.stdout);
}

#[test]
fn a_bad_file_of_suppressions_is_refused_with_its_line() {
    let directory = scratch();
    built(directory.path(), "int main() {}", &[]);
    fs::write(directory.path().join("known"), "race:x\nracy:y\n").unwrap();
    let ran = leno(directory.path(), &["check", "--suppressions", "known", "./program"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("known:2: racy is no kind of suppression"), "{}", ran.stderr);
    let ran = leno(directory.path(), &["check", "--suppressions", "none", "./program"]);
    assert_eq!(ran.status, Some(2));
}

#[test]
fn both_ways_to_restart_see_the_same() {
    for name in ["future-exception", "static-local", "streams", "thread-pool", "latch"] {
        let directory = scratch();
        let source = root().join("testsuite/cpp").join(name).with_extension("cpp");
        compile(&source, &["-std=c++20"], &directory.path().join("program")).expect("it compiles");
        let (here, isolated) =
            (report(directory.path(), &[]), report(directory.path(), &["--isolate"]));
        assert_eq!(here["digest"], isolated["digest"], "{name}");
        assert!(!here["notes"].to_string().contains("a process of its own"), "{name}: {here}");
    }
}

#[test]
fn indirect_calls_of_the_library_are_seen() {
    let directory = scratch();
    built(
        directory.path(),
        r#"
#include <cstring>
#include <thread>
static char text[8];
static void *(*volatile fill)(void *, int, size_t) = memset;
int main()
{
    std::thread thread([] { fill(text, 1, 4); });
    fill(text + 3, 2, 4);
    thread.join();
}
"#,
        &["-O1"],
    );
    let report = report(directory.path(), &[]);
    assert_eq!(report["bugs"][0]["kind"], "race", "{report}");
}

/// A constructor for whole objects is another name of the one for bases.
#[test]
fn a_constructor_in_another_file_is_seen() {
    let directory = scratch();
    let header = "struct Counter { int value; Counter(int *from); ~Counter(); void add(); };\n";
    let part = "#include \"counter.h\"\nCounter::Counter(int *from) : value(*from) { *from = 0; }\n\
                Counter::~Counter() { value = 0; }\nvoid Counter::add() { value++; }\n";
    fs::write(directory.path().join("counter.h"), header).unwrap();
    fs::write(directory.path().join("counter.cpp"), part).unwrap();
    let other = directory.path().join("counter.o");
    compile(&directory.path().join("counter.cpp"), &["-O1", "-c"], &other).unwrap();
    let source = "#include \"counter.h\"\n#include <thread>\nint start = 5;\n\
                  int main() { Counter counter(&start); std::thread other([&] { counter.add(); });\n\
                  other.join(); counter.add(); start = counter.value; }";
    built(directory.path(), source, &[other.to_str().unwrap()]);
    let report = report(directory.path(), &[]);
    assert_eq!(report["verdict"], "safe", "{report}");
}

/// Has destructors, handlers and a place to jump to, and calls back from all of them.
const PLAIN: &str = r#"
#include <csetjmp>
typedef void Body(void *);
typedef void Then();
struct Guard { Then *then; ~Guard() { then(); } };
static jmp_buf place;
extern "C" void guarded(Body *body, void *argument, Then *then) { Guard guard{then}; body(argument); }
extern "C" void handled(Body *body, void *argument, Then *then)
{
    try { body(argument); } catch (...) { then(); throw; }
}
extern "C" void swallowed(Body *body, void *argument, Then *then)
{
    try { body(argument); } catch (...) { then(); }
    then();
}
extern "C" void jump() { longjmp(place, 1); }
extern "C" void jumped(Body *body, void *argument, Then *then)
{
    if (setjmp(place))
        then();
    else
        body(argument);
}
"#;

const UNWINDS: &str = r#"
#include <cassert>
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>
extern "C" {
typedef void With(void (*body)(void *), void *argument, void (*then)());
With guarded, handled, swallowed, jumped;
void jump();
}
enum { THROW, END, CANCELLED, JUMP };
static long order;
static int counter;
static sem_t never;
static void note(int what) { order = order * 10 + what; counter++; }
static void then() { note(5); }
struct Noted { int what; ~Noted() { note(what); } };
static void deep(long how, int depth)
{
    if (depth)
        return deep(how, depth - 1), note(0);
    switch (how) {
    case THROW: throw std::runtime_error("out");
    case END: pthread_exit(nullptr);
    case CANCELLED: sem_wait(&never); break;
    default: jump();
    }
}
static void first(void *how) { deep((long)how, 3); note(0); }
static void second(void *how) { handled(first, how, then); note(0); }
static void third(void *how) { Noted noted{3}; guarded(second, how, then); note(0); }
static void *work(void *how)
{
    Noted noted{1};
    if ((long)how == JUMP)
        return jumped(first, how, then), nullptr;
    try {
        guarded(third, how, then);
    } catch (const std::runtime_error &) {
        note(9);
        swallowed(third, how, then);
    }
    return nullptr;
}
int main()
{
    const long orders[] = {55359553551, 55351, 55351, 51};
    sem_init(&never, 0, 0);
    for (long how = 0; how < 4; how++) {
        pthread_t thread;
        order = 0;
        pthread_create(&thread, nullptr, work, (void *)how);
        if (how == CANCELLED)
            pthread_cancel(thread);
#ifdef WRONG
        counter++;
#endif
        pthread_join(thread, nullptr);
        assert(order == orders[how]);
    }
}
"#;

#[test]
fn code_that_is_not_instrumented_is_unwound_and_calls_back() {
    let directory = scratch();
    let here = directory.path();
    fs::write(here.join("plain.cpp"), PLAIN).unwrap();
    let arguments = ["-O1", "-fPIC", "-shared", "plain.cpp", "-o", "libplain.so"];
    let clang = Command::new("clang++-22").args(arguments).current_dir(here).status();
    assert!(clang.expect("clang runs").success());
    let models = "guarded = {}\nhandled = {}\nswallowed = {}\njumped = {}\njump = {}\n";
    fs::write(here.join("models.toml"), models).unwrap();
    let library = here.join("libplain.so");
    let found = format!("-Wl,-rpath,{}", here.display());
    for level in ["-O0", "-O2"] {
        for (wrong, verdict) in [("-DRIGHT", "safe"), ("-DWRONG", "bug")] {
            built(here, UNWINDS, &[level, wrong, library.to_str().unwrap(), &found]);
            let report = report(here, &["--models", "models.toml", "--timeout", "60s"]);
            assert_eq!(report["verdict"], verdict, "{level}: {report}");
            if verdict == "bug" {
                assert_eq!(report["bugs"][0]["kind"], "race", "{report}");
            }
        }
    }
}

const PLUGIN: &str = r#"
#include <stdexcept>
struct Counted { int *count; ~Counted() { ++*count; } };
extern "C" int plugin(void)
{
    int count = 0;
    try {
        Counted counted{&count};
        throw std::runtime_error("out");
    } catch (const std::exception &) {
        return count;
    }
}
"#;

const OPENS_PLUGIN: &str = r#"
#include <assert.h>
#include <dlfcn.h>
int main(void)
{
    void *library = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    int (*plugin)(void) = (int (*)(void)) dlsym(library, "plugin");
    assert(plugin() == 1);
}
"#;

#[test]
fn a_program_in_c_may_open_a_plugin_in_cxx() {
    let directory = scratch();
    let here = directory.path();
    fs::write(here.join("plugin.cpp"), PLUGIN).unwrap();
    let arguments = ["-fPIC", "-shared", "plugin.cpp", "-o", "plugin.so"];
    let clang = Command::new("clang++-22").args(arguments).current_dir(here).status();
    assert!(clang.expect("clang runs").success());
    fs::write(here.join("program.c"), OPENS_PLUGIN).unwrap();
    compile(&here.join("program.c"), &[] as &[&str], &here.join("program")).expect("it compiles");
    let report = report(here, &[]);
    assert_eq!(report["verdict"], "safe", "{report}");
}

/// What a program says that has another verdict with libc++, or none.
const ONLY_LIBSTDCXX: &str = "// Not with libc++:";

/// What is said of a program by libc++'s verdict as well; counts of executions and names of
/// the library's own functions are another matter.
fn is_the_same(field: &str) -> bool {
    matches!(field, "verdict" | "kind" | "bugs")
}

#[test]
fn the_programs_get_the_same_verdicts_with_libcxx() {
    let mut programs = programs();
    programs.retain(|program| program.starts_with(root().join("testsuite/cpp")));
    let checked = AtomicUsize::new(0);
    let report = on_all_cores(&programs, |source| {
        let text = fs::read_to_string(source).unwrap();
        let mut expectations = expectation::read(source).expect("what it expects");
        expectations.retain(|line| !line.cflags.iter().any(|flag| flag == "-O2"));
        if text.contains(ONLY_LIBSTDCXX) {
            return Vec::new();
        }
        let lines = expectations.into_iter().flat_map(|mut line| {
            line.fields.retain(|field| is_the_same(&field.name));
            line.cflags.push("-stdlib=libc++".to_string());
            let directory = scratch();
            let program = directory.path().join("program");
            if let Err(error) = compile(source, &line.cflags, &program) {
                // Debian's libc++.so may be older than its headers: then clang fails too.
                let clang = Command::new("clang++-22")
                    .args(["-pthread", "-w", "-o"])
                    .arg(&program)
                    .args(&line.cflags)
                    .arg(source)
                    .output()
                    .expect("clang runs");
                return if clang.status.success() { vec![error] } else { Vec::new() };
            }
            checked.fetch_add(1, Ordering::Relaxed);
            let args = ["check", "--format", "json", "--timeout", "60s"];
            let args = args.into_iter().chain(line.options.iter().map(String::as_str));
            let args = args.chain(["--", "./program"]).chain(line.args.iter().map(String::as_str));
            let ran = leno(directory.path(), &args.collect::<Vec<_>>());
            let differences =
                ran.json().map_or_else(|error| vec![error], |it| line.differences(&it));
            let title = format!("{} {}", source.display(), line.cflags.join(" "));
            differences.into_iter().map(|it| format!("{title}: {it}")).collect()
        });
        lines.collect()
    });
    assert!(report.is_empty(), "\n\n{}\n", report.join("\n"));
    let checked = checked.into_inner();
    assert!(checked >= 80, "only {checked} checks were made");
}
