//! Programs that end, or try to, behind the runtime's back: there is always a report with
//! what is known, and never a verdict that is not deserved.

use leno_tests::{Ran, compile, leno, scratch, tool};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Two threads; in some interleavings, not the first, `act` is called by one of them.
const FRAME: &str = r#"
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_int x;
static long raw2(long number, long first, long second)
{
    __asm__ volatile("syscall" : "+a"(number) : "D"(first), "S"(second) : "rcx", "r11", "memory");
    return number;
}
static long raw3(long number, long first, long second, long third)
{
    __asm__ volatile("syscall" : "+a"(number) : "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return number;
}
static void raw(long number, long argument) { raw2(number, argument, 0); }
static void handler(void) { x = 7; }
static void act(void) { ACT; }
static void *first(void *unused)
{
    x = 1;
    if (x == 2)
        act();
    return unused;
}
static void *second(void *unused)
{
    x = 2;
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"#;

fn build(directory: &Path, act: &str) {
    let source = directory.join("program.c");
    fs::write(&source, FRAME.replace("ACT", act)).unwrap();
    compile::<&str>(&source, &["-Wno-unused"], &directory.join("program")).expect("it compiles");
}

fn check(directory: &Path, act: &str, options: &[&str]) -> (Ran, Value) {
    build(directory, act);
    let fixed = ["check", "--format", "json", "--timeout", "60s"];
    let ran = leno(directory, &[&fixed[..], options, &["./program"]].concat());
    let json = ran.json().unwrap_or_else(|error| panic!("{act}: {error}"));
    (ran, json)
}

const MODES: [&[&str]; 2] = [&[], &["--isolate"]];

#[test]
fn an_end_that_leno_does_not_see_is_told_with_what_is_known() {
    let cases = [
        ("raw(231, 5)", "ended with status 5"),
        ("raw(231, 0)", "ended with status 0"),
        // Ends the one kernel thread that does anything; the process stays.
        ("raw(60, 5)", "status 5"),
        // The kernel's getpid and kill.
        ("raw2(62, raw2(39, 0, 0), SIGKILL)", "SIGKILL"),
        ("raw2(62, 0, SIGKILL)", "SIGKILL"),
        ("raw2(62, raw2(39, 0, 0), SIGSTOP)", "SIGSTOP"),
    ];
    for (act, expected) in cases {
        for mode in MODES {
            let directory = scratch();
            let (ran, json) = check(directory.path(), act, mode);
            let error = &json["error"];
            let message = error["message"].as_str().unwrap_or_default();
            assert_eq!((ran.status, &error["kind"]), (Some(2), &"broken_off".into()), "{act}");
            assert!(message.contains(expected), "{act}: {message}");
            assert!(
                message.contains("last seen in T1 at ") && message.contains("program.c:"),
                "{act}: {message}"
            );
            assert!(error["executions"] == 1 && error["events"].as_u64() > Some(5), "{error}");
        }
    }
}

#[test]
fn a_signal_that_ends_the_program_is_a_crash_with_a_trace() {
    let deep = "volatile char a[65536]; a[0] = (char)x; act(); a[1] = a[0]";
    let cases = [
        ("raise(SIGTERM)", "SIGTERM"),
        ("raise(SIGUSR1)", "SIGUSR1"),
        ("kill(getpid(), SIGKILL)", "SIGKILL"),
        ("abort()", "SIGABRT"),
        ("raise(SIGABRT)", "SIGABRT"),
        ("((void (*)(void))0x1234)()", "SIGSEGV"),
        (deep, "SIGSEGV"),
    ];
    for (act, expected) in cases {
        for mode in MODES {
            let directory = scratch();
            let (ran, json) = check(directory.path(), act, mode);
            assert_eq!(ran.status, Some(1), "{act}: {json}");
            let bug = &json["bugs"][0];
            assert_eq!(bug["kind"], "crash", "{act}");
            assert!(bug["message"].as_str().unwrap().contains(expected), "{act}: {bug}");
            assert_eq!(bug["accesses"][0]["thread"], "T1", "{act}: {bug}");
            let trace = bug["trace"].as_str().unwrap();
            let replayed = leno(directory.path(), &["replay", trace]);
            assert_eq!(replayed.status, Some(1), "{act}: {}{}", replayed.stdout, replayed.stderr);
        }
    }
}

#[test]
fn ends_by_libc_are_ends_of_the_program() {
    let cases = [
        ("_exit(3)", 3),
        ("_Exit(3)", 3),
        ("exit(3)", 3),
        ("syscall(231, 3)", 3),
        ("at_quick_exit(handler); quick_exit(3)", 3),
        ("raw(186, 0)", 0),
    ];
    for (act, status) in cases {
        let mut seen = Vec::new();
        for mode in MODES {
            let directory = scratch();
            let options = [mode, &["--property", "assert,exit", "--keep-going"]].concat();
            let (_, json) = check(directory.path(), act, &options);
            let messages: Vec<_> =
                json["bugs"].as_array().unwrap().iter().map(|bug| bug["message"].clone()).collect();
            let expected = if status == 0 { vec![] } else { vec!["ends with status 3"] };
            assert_eq!(messages.len(), expected.len(), "{act}: {json}");
            for (message, expected) in messages.iter().zip(expected) {
                assert!(message.as_str().unwrap().contains(expected), "{act}: {message}");
            }
            assert_eq!(json["coverage"], "exhaustive", "{act}: {json}");
            seen.push((json["executions"].clone(), json["digest"].clone()));
        }
        assert_eq!(seen[0], seen[1], "{act}");
    }
}

#[test]
fn a_program_that_closes_everything_does_not_cut_the_line() {
    for close in ["for (int i = 3; i < 4096; i++) close(i)", "close_range(3, ~0u, 0)"] {
        let directory = scratch();
        let act = format!("{close}; FILE *f = fopen(\"mine\", \"w\"); assert(!f)");
        let (ran, json) = check(directory.path(), &act, &[]);
        assert_eq!(ran.status, Some(1), "{close}: {json}");
        assert_eq!(json["bugs"][0]["kind"], "assert");
        assert!(!directory.path().join("mine").exists(), "what the program did is not undone");
        let trace = json["bugs"][0]["trace"].as_str().unwrap();
        assert_eq!(leno(directory.path(), &["replay", trace]).status, Some(1));
    }
}

#[test]
fn what_makes_another_program_of_it_is_refused_by_name() {
    let calls = [
        ("execl(\"/bin/true\", \"true\", (char *)0)", "execl"),
        ("execv(\"/bin/true\", (char *[]){\"true\", 0})", "execv"),
        ("fork()", "fork"),
        ("system(\"true\")", "system"),
        ("kill(0, SIGKILL)", "kill of another process or of a group"),
        ("kill(getpid(), SIGSTOP)", "a signal that stops the process"),
    ];
    are_refused(&calls);
}

/// What one execution leaves there the next one would find.
#[test]
fn what_the_system_keeps_between_executions_is_refused_by_name() {
    are_refused(&[
        ("extern int mq_open(const char *, int, ...); mq_open(\"/leno\", 2)", "mq_open"),
        ("extern int mq_unlink(const char *); mq_unlink(\"/leno\")", "mq_unlink"),
        ("syscall(240, \"/leno\", 2, 0, NULL)", "syscall (mq_open)"),
        ("extern int msgget(int, int); msgget(1, 0666)", "msgget"),
        ("extern int semget(int, int, int); semget(0, 1, 0600)", "semget"),
        ("extern int shmget(int, size_t, int); shmget(1, 4096, 0600)", "shmget with a key"),
        ("syscall(68, 1, 0600)", "syscall (msgget)"),
        ("syscall(29, 1, 4096, 0600)", "syscall (shmget with a key)"),
    ]);
}

fn are_refused(calls: &[(&str, &str)]) {
    for (act, name) in calls {
        let directory = scratch();
        let (ran, json) = check(directory.path(), act, &[]);
        let message = json["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(ran.status, Some(2), "{act}: {json}");
        assert!(message.contains(&format!("{name}, at ")), "{act}: {message}");
    }
}

/// A thread that says it can be cancelled at any instruction, and then comes to none that leno
/// sees.
const COMPUTES: &str = r#"
#include <pthread.h>
#include <semaphore.h>
static sem_t ready;
static void *work(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    if (POSTS)
        sem_post(&ready);
    for (;;) {
    }
    return unused;
}
int main(void)
{
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    if (POSTS)
        sem_wait(&ready);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
"#;

#[test]
fn to_be_cancelled_at_any_instruction_is_refused_also_in_a_loop_without_end() {
    let directory = scratch();
    let (source, program) = (directory.path().join("program.c"), directory.path().join("program"));
    fs::write(&source, COMPUTES).unwrap();
    for (posts, level) in [(0, "-O0"), (1, "-O0"), (1, "-O2")] {
        let flags = [format!("-DPOSTS={posts}"), level.to_string()];
        compile(&source, &flags, &program).expect("it compiles");
        for options in MODES {
            let fixed = ["check", "--format", "json", "--timeout", "60s"];
            let ran = leno(directory.path(), &[&fixed[..], options, &["./program"]].concat());
            let error = ran.json().expect("JSON")["error"]["message"].to_string();
            assert_eq!(ran.status, Some(2), "{error}");
            assert!(error.contains("can be cancelled asynchronously"), "{error}");
        }
    }
}

#[test]
fn ends_before_main_are_told() {
    for (end, expected) in [("_exit(0)", "status 0"), ("*(volatile int *)8 = 1", "SIGSEGV")] {
        let directory = scratch();
        let act = format!("}} __attribute__((constructor)) static void early(void) {{ {end}");
        let (ran, json) = check(directory.path(), &act, &[]);
        let message = json["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(ran.status, Some(2), "{json}");
        assert!(message.contains(expected) && message.contains("before its main"), "{message}");
    }
}

/// The children of a process.
fn children(pid: u32) -> Vec<u32> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    list.split_ascii_whitespace().map(|word| word.parse().expect("a number")).collect()
}

#[test]
fn a_kill_from_outside_is_no_verdict() {
    let directory = scratch();
    let source = directory.path().join("long.c");
    let text = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n\
        void *f(void *p) { for (int i = 0; i < 8; i++) x++; return p; }\n\
        int main(void) { pthread_t t[4]; for (int i = 0; i < 4; i++) \
        pthread_create(&t[i], 0, f, 0); for (int i = 0; i < 4; i++) pthread_join(t[i], 0); }\n";
    fs::write(&source, text).unwrap();
    compile::<&str>(&source, &[], &directory.path().join("long")).expect("it compiles");
    for mode in MODES {
        let checking = Command::new(tool("leno"))
            .args(["check", "--format", "json"])
            .args(mode)
            .arg("./long")
            .current_dir(directory.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_secs(2));
        let [program] = children(checking.id())[..] else { panic!("one process is checked") };
        Command::new("kill").args(["-9", &program.to_string()]).status().unwrap();
        let started = Instant::now();
        let output = checking.wait_with_output().unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let message = json["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(output.status.code(), Some(2), "{json}");
        assert!(message.contains("SIGKILL") && message.contains("run again"), "{message}");
        assert!(json["error"]["executions"].as_u64() > Some(0), "{json}");
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn an_execution_without_an_end_is_said_to_be_one() {
    let directory = scratch();
    build(directory.path(), "for (;;) __asm__ volatile(\"pause\")");
    let ran = leno(directory.path(), &["check", "--timeout", "7s", "./program"]);
    assert_eq!(ran.status, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("last seen at ") && ran.stderr.contains("in first"),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.contains("the time was up"), "{}", ran.stdout);
}

#[test]
fn an_execution_that_stands_still_ends_the_check_with_its_place() {
    let cases = [
        // The kernel's pause, a futex that nobody wakes, a read from a pipe that nobody writes.
        ("raw(34, 0)", "waiting for 500ms in the system call pause, made by program"),
        ("static int word; raw(202, (long)&word)", "in the system call futex"),
        (
            "int ends[2]; char c; raw(22, (long)ends); raw3(0, ends[0], (long)&c, 1)",
            "read of descriptor",
        ),
        ("for (;;) __asm__ volatile(\"pause\")", "computing for 5s"),
    ];
    for (act, how) in cases {
        for mode in MODES {
            let directory = scratch();
            let options = [mode, &["--patience", "500ms"]].concat();
            let (ran, json) = check(directory.path(), act, &options);
            assert_eq!(ran.status, Some(2), "{act}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(json["error"]["kind"], "broken_off", "{act}");
            let message = json["error"]["message"].as_str().unwrap_or_default();
            for part in [how, "T1 has been", "last seen at", "program.c:", "--patience"] {
                assert!(message.contains(part), "{act}: {message}");
            }
        }
    }
}

#[test]
fn who_has_no_end_of_patience_waits() {
    let directory = scratch();
    build(directory.path(), "raw(34, 0)");
    let options = ["check", "--patience", "0", "--timeout", "3s", "./program"];
    let ran = leno(directory.path(), &options);
    assert_eq!(ran.status, Some(3), "{}{}", ran.stdout, ran.stderr);
}
