//! Input that is not what leno wants, and moments at which it is interrupted: a clear
//! message, exit status 2, nothing half-written, never a verdict made of garbage.

use leno_tests::{Ran, compile, leno, root, scratch, tool};
use serde_json::Value;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A program of `testsuite/`, built in `directory` as `program`.
fn build(name: &str, directory: &Path) {
    let source = root().join("testsuite").join(name);
    compile(&source, &["-DN=3"], &directory.join("program")).expect("it compiles");
}

fn build_text(text: &str, directory: &Path) {
    let source = directory.join("program.c");
    fs::write(&source, text).unwrap();
    compile(&source, &["-O1"], &directory.join("program")).expect("it compiles");
}

fn executable(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The message of an error.
fn refused(directory: &Path, args: &[&str]) -> String {
    let ran = leno(directory, args);
    assert_eq!(ran.status, Some(2), "{args:?}: {}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stdout, "", "{args:?}");
    ran.stderr
}

/// A source of bytes that is the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

fn word(bytes: &[u8], at: usize, size: usize) -> usize {
    bytes[at..at + size].iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte))
}

/// Where the section `.leno` lies in an ELF file.
fn section(bytes: &[u8]) -> (usize, usize) {
    let (headers, size) = (word(bytes, 0x28, 8), word(bytes, 0x3a, 2));
    let header = |number: usize| &bytes[headers + number * size..][..size];
    let names = word(header(word(bytes, 0x3e, 2)), 0x18, 8);
    let is_ours =
        |number: &usize| bytes[names + word(header(*number), 0, 4)..].starts_with(b".leno\0");
    let number = (0..word(bytes, 0x3c, 2)).find(is_ours).expect("an instrumented program");
    (word(header(number), 0x18, 8), word(header(number), 0x20, 8))
}

#[test]
fn files_that_are_no_programs_for_leno_are_told_apart() {
    let directory = scratch();
    let here = directory.path();
    build("race/plain.c", here);
    let program = fs::read(here.join("program")).unwrap();
    let changed = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = program.clone();
        change(&mut bytes);
        executable(&here.join(name), &bytes);
    };
    changed("arm", &|bytes| bytes[18] = 0xb7);
    changed("narrow", &|bytes| bytes[4] = 1);
    changed("cut", &|bytes| bytes.truncate(3000));
    changed("static", &|bytes| {
        let (headers, count) = (word(bytes, 0x20, 8), word(bytes, 0x38, 2));
        for at in (0..count).map(|number| headers + number * 56) {
            if word(bytes, at, 4) == 3 {
                bytes[at] = 0; // no interpreter
            }
        }
    });
    // At the head of a table: four letters, the version, the size.
    let at = section(&program).0;
    changed("older", &|bytes| bytes[at + 4] -= 1);
    changed("newer", &|bytes| bytes[at + 4] += 1);
    changed("foreign", &|bytes| bytes[at] = b'X');
    changed("endless", &|bytes| bytes[at + 8..at + 12].fill(0x78));
    executable(&here.join("script"), b"#!/bin/sh\n");
    executable(&here.join("empty"), b"");
    fs::write(here.join("data"), &program).unwrap();
    let cases = [
        ("./arm", "Aarch64"),
        ("./narrow", "64-bit"),
        ("./cut", "64-bit"),
        ("./static", "statically linked"),
        ("./script", "script"),
        ("./empty", "not an ELF program"),
        ("./data", "not executable"),
        ("./nothing", "No such file"),
        ("/dev/null", "special file"),
        ("/bin/true", "not built with leno-cc"),
        ("./older", "built by an older leno-cc"),
        ("./newer", "built by a newer leno-cc"),
        ("./foreign", "does not hold leno's tables"),
        ("./endless", "ends in the middle of a table"),
    ];
    for (name, expected) in cases {
        let message = refused(here, &["check", name]);
        let file = name.trim_start_matches("./");
        assert!(message.contains(expected) && message.contains(file), "{name}: {message}");
    }
    assert!(!here.join("leno.out").exists());
}

#[test]
fn a_stripped_program_is_checked_without_names() {
    let directory = scratch();
    build("race/plain.c", directory.path());
    let stripped = Command::new("strip").arg(directory.path().join("program")).status();
    assert!(stripped.expect("binutils has strip").success());
    let ran = leno(directory.path(), &["check", "./program"]);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("stripped") && ran.stdout.contains("plain.c:11"), "{}", ran.stdout);
    let replayed = leno(directory.path(), &["replay", "leno.out/race-1.json"]);
    assert_eq!(replayed.status, Some(1), "{}", replayed.stderr);
}

#[test]
fn a_damaged_table_is_never_used() {
    let directory = scratch();
    let here = directory.path();
    build("race/plain.c", here);
    let program = fs::read(here.join("program")).unwrap();
    let (start, len) = section(&program);
    let mut random = Random(7);
    for round in 0..200 {
        let mut bytes = program.clone();
        for _ in 0..1 + round % 3 {
            bytes[start + random.below(len)] ^= 1 << random.below(8);
        }
        executable(&here.join("damaged"), &bytes);
        let ran = leno(here, &["check", "./damaged"]);
        // A bit that means nothing may be hit; then it is as if nothing had happened.
        let unhurt = ran.status == Some(1) && ran.stdout.starts_with("bug: data race on x\n");
        let refused = ran.status == Some(2) && ran.stderr.contains("damaged: ");
        assert!(unhurt || refused, "{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_damaged_table_of_a_library_is_never_used() {
    let directory = scratch();
    let here = directory.path();
    fs::write(here.join("lib.c"), "int shared; void add(void) { shared++; }\n").unwrap();
    compile(&here.join("lib.c"), &["-shared", "-fPIC"], &here.join("libadd.so")).unwrap();
    let text = "#include <pthread.h>\nvoid add(void);\n\
        void *f(void *p) { add(); return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); add(); \
        return pthread_join(t, 0); }\n";
    fs::write(here.join("program.c"), text).unwrap();
    let library = here.join("libadd.so");
    let flags = ["-Wl,--no-as-needed", library.to_str().unwrap()];
    compile(&here.join("program.c"), &flags, &here.join("program")).unwrap();
    assert_eq!(leno(here, &["check", "./program"]).status, Some(1));
    let mut bytes = fs::read(&library).unwrap();
    let (start, len) = section(&bytes);
    bytes[start + len / 2] ^= 4;
    fs::write(&library, bytes).unwrap();
    let message = refused(here, &["check", "./program"]);
    assert!(message.contains("libadd.so") && message.contains("damaged"), "{message}");
}

#[test]
fn a_damaged_trace_is_never_used() {
    let directory = scratch();
    let here = directory.path();
    build("race/plain.c", here);
    assert_eq!(leno(here, &["check", "./program"]).status, Some(1));
    let trace = fs::read(here.join("leno.out/race-1.json")).unwrap();
    let mut random = Random(11);
    for round in 0..200 {
        let mut bytes = trace.clone();
        match round % 3 {
            0 => bytes.truncate(random.below(trace.len())),
            1 => bytes[random.below(trace.len())] ^= 1 << random.below(7),
            _ => {
                let from = random.below(trace.len());
                bytes.drain(from..(from + 1 + random.below(20)).min(trace.len()));
            }
        }
        fs::write(here.join("damaged.json"), &bytes).unwrap();
        let command = if round % 2 == 0 { "replay" } else { "report" };
        let message = refused(here, &[command, "damaged.json"]);
        assert!(message.contains("damaged.json is not a trace"), "{message}");
    }
}

#[test]
fn what_is_no_file_is_no_trace_and_nobody_waits_for_it() {
    let directory = scratch();
    let here = directory.path();
    let made = Command::new("mkfifo").arg(here.join("pipe")).status();
    assert!(made.expect("coreutils has mkfifo").success());
    for command in ["replay", "report"] {
        for special in ["pipe", "/dev/zero", "/dev/null"] {
            let message = refused(here, &[command, special]);
            assert!(message.contains(special) && message.contains("special file"), "{message}");
        }
    }
    for file in ["{}", "[]", "", "null"] {
        fs::write(here.join("trace.json"), file).unwrap();
        let message = refused(here, &["replay", "trace.json"]);
        assert!(message.contains("trace.json is not a trace"), "{message}");
    }
}

#[test]
fn wrong_options_and_values_are_named() {
    let directory = scratch();
    build("race/plain.c", directory.path());
    let cases: [(&[&str], &str); 14] = [
        (&["check", "--frobnicate", "./program"], "--frobnicate"),
        (&["check", "--max-steps", "abc", "./program"], "--max-steps"),
        (&["check", "--max-executions", "-1", "./program"], "-1"),
        (&["check", "--timeout", "soon", "./program"], "--timeout"),
        (&["check", "--search", "best", "./program"], "--search"),
        (&["check", "--property", "race,beauty", "./program"], "beauty"),
        (&["check", "--format", "xml", "./program"], "--format"),
        (&["replay", "--format", "xml", "trace.json"], "--format"),
        (&["report", "--format", "", "trace.json"], "--format"),
        (&["check", "--nondet", "int=0..1,int=3..4", "./program"], "int twice"),
        (&["check", "--nondet", "int=0..1", "--nondet", "int=3..4", "./program"], "int twice"),
        (&["replay"], "<TRACE>"),
        (&["replay", "nowhere.json"], "nowhere.json"),
        (&["dance"], "dance"),
    ];
    for (args, expected) in cases {
        let message = refused(directory.path(), args);
        assert!(message.contains(expected), "{args:?}: {message}");
    }
}

/// Whatever the help says that an option takes, it is not this.
#[test]
fn no_option_accepts_every_value() {
    let directory = scratch();
    build("race/plain.c", directory.path());
    let help = leno(directory.path(), &["check", "--help"]).stdout;
    let words = |line: &str| line.split([' ', '=', '[']).map(str::to_string).collect::<Vec<_>>();
    let lines = help.lines().map(str::trim).filter(|line| line.starts_with('-'));
    let with_value = lines.filter(|line| line.contains('<'));
    let options: Vec<String> = with_value
        .filter_map(|line| words(line).into_iter().find(|word| word.starts_with("--")))
        // A folder may have any name, and is made.
        .filter(|option| option != "--output")
        .collect();
    assert!(options.len() > 25, "{options:?}");
    for option in options {
        for value in ["½", "-0x1", "", "99999999999999999999999999h"] {
            let given = format!("{option}={value}");
            let message = refused(directory.path(), &["check", &given, "./program"]);
            let named = message.contains(&option) || message.contains(value);
            assert!(named && !message.contains("panicked"), "{given}: {message}");
        }
    }
}

#[test]
fn bad_files_of_options_are_named_with_the_line_at_fault() {
    let directory = scratch();
    let here = directory.path();
    build("race/plain.c", here);
    fs::create_dir(here.join("folder")).unwrap();
    fs::write(here.join("garbage"), [0xff, 0xfe, 0, 7, b'\n', 0xc0]).unwrap();
    fs::write(
        here.join("models"),
        "\"f\" = { read = \"arg0[4]\" }\n\"g\" = { red = \"arg0[4]\" }\n",
    )
    .unwrap();
    fs::write(here.join("cut"), "\"f\" = { read = \"arg0[4\" }\n").unwrap();
    fs::write(here.join("suppressions"), "race:hits\n# why\nnonsense\n").unwrap();
    let link = std::os::unix::fs::symlink("loop", here.join("loop"));
    link.unwrap();
    let cases = [
        ("--models", "nothing", "No such file"),
        ("--models", "folder", "Is a directory"),
        ("--models", "garbage", "UTF-8"),
        ("--models", "loop", "symbolic links"),
        ("--models", "models", "models:2: red is no part of a model"),
        ("--models", "cut", "cut:1: "),
        ("--models", "suppressions", "suppressions:1: "),
        ("--suppressions", "nothing", "No such file"),
        ("--suppressions", "folder", "Is a directory"),
        ("--suppressions", "garbage", "UTF-8"),
        ("--suppressions", "loop", "symbolic links"),
        ("--suppressions", "suppressions", "suppressions:3: expected kind:pattern"),
        ("--resume", "nothing", "does not exist"),
        ("--resume", "folder", "does not exist"),
        ("--resume", "garbage", "Not a directory"),
        ("--input", "nothing", "No such file"),
        ("--input", "folder", "Is a directory"),
        ("--input", "loop", "symbolic links"),
    ];
    for (option, file, expected) in cases {
        let message = refused(here, &["check", option, file, "./program"]);
        assert!(message.contains(file) && message.contains(expected), "{option} {file}: {message}");
    }
    // A search that is none, and one that was cut.
    let search = here.join("folder/search.leno");
    for bytes in [&b""[..], b"{}", &[0xff; 1000]] {
        fs::write(&search, bytes).unwrap();
        let message = refused(here, &["check", "--resume", "folder", "./program"]);
        assert!(message.contains("folder/search.leno is not the search"), "{message}");
    }
    assert!(!here.join("leno.out").exists());
}

#[test]
fn input_from_a_pipe_with_a_name_is_the_same_in_every_execution() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
        #include <stdio.h>\natomic_int x;\n\
        void *f(void *p) { x++; return p; }\n\
        int main(void) { assert(getchar() == 'a' && getchar() == 'b' && getchar() == EOF); \
        pthread_t t; pthread_create(&t, 0, f, 0); x++; return pthread_join(t, 0); }\n";
    let directory = scratch();
    let here = directory.path();
    build_text(text, here);
    let made = Command::new("mkfifo").arg(here.join("pipe")).status();
    assert!(made.expect("coreutils has mkfifo").success());
    let path = here.join("pipe");
    let writer = thread::spawn(move || fs::write(path, "ab").unwrap());
    let ran = leno(here, &["check", "--input", "pipe", "--format", "json", "./program"]);
    writer.join().unwrap();
    let report = ran.json().unwrap();
    assert_eq!(
        (&report["verdict"], &report["executions"]),
        (&"safe".into(), &2.into()),
        "{report}"
    );
}

#[test]
fn who_may_have_no_more_threads_is_told_so() {
    let directory = scratch();
    let here = directory.path();
    build("race/plain.c", here);
    fs::set_permissions(here, fs::Permissions::from_mode(0o777)).unwrap();
    let leno = tool("leno");
    for option in ["--show-output", "--quiet"] {
        let check = format!("ulimit -u 1 && exec {} check {option} ./program", leno.display());
        // Root is not limited, so root becomes somebody who has no process yet.
        let check = format!(
            "if [ $(id -u) = 0 ]; then \
             exec setpriv --reuid 64321 --clear-groups bash -c '{check}'; fi; {check}"
        );
        let output = Command::new("bash").args(["-c", &check]).current_dir(here).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("program: Resource temporarily unavailable"), "{message}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_named_and_nothing_is_left() {
    let directory = scratch();
    let here = directory.path();
    build("race/plain.c", here);
    fs::write(here.join("file"), "mine").unwrap();
    for output in ["file", "file/deeper", "/proc/leno", "/dev/null"] {
        let message = refused(here, &["check", "--output", output, "./program"]);
        assert!(message.contains("cannot write") && message.contains(output), "{message}");
    }
    // No room: files may have at most 512 bytes.
    let script =
        format!("ulimit -f 1; exec {} check --output out ./program", tool("leno").display());
    let output = Command::new("sh").args(["-c", &script]).current_dir(here).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("out/race-1.json"), "{message}");
    let left = fs::read_dir(here.join("out")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "something half-written was left");
    // A full disk for the report itself.
    for format in ["human", "json"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let status = Command::new(tool("leno"))
            .args(["check", "--format", format, "./program"])
            .current_dir(here)
            .stdout(full)
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(2), "{format}");
    }
}

#[test]
fn readers_who_have_seen_enough_do_not_change_the_verdict() {
    let directory = scratch();
    build("safe/output.c", directory.path());
    let leno = tool("leno");
    for redirect in ["| head -c 1", "2>&1 | head -c 1", ">&-", "2>&-", "<&-", "<&- >&- 2>&-"] {
        let (own, reader) = redirect.split_once('|').unwrap_or((redirect, "cat"));
        let leno = leno.display();
        let check = format!("timeout 60 {leno} check --show-output ./program 2 words");
        let script = format!("({check} {own}; echo $? > status) | {reader}");
        Command::new("bash")
            .args(["-c", &script])
            .current_dir(directory.path())
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .unwrap();
        let status = fs::read_to_string(directory.path().join("status")).unwrap();
        assert_eq!(status.trim(), "0", "{redirect}");
    }
}

#[test]
fn a_single_thread_is_a_program_too() {
    let directory = scratch();
    build_text("int main(void) { return 0; }", directory.path());
    let report =
        leno(directory.path(), &["check", "--format", "json", "./program"]).json().unwrap();
    assert_eq!((&report["verdict"], &report["executions"]), (&"safe".into(), &1.into()));
}

#[test]
fn a_gigabyte_of_output_takes_no_memory() {
    let text = "#include <stdio.h>\nint main(void) { static char line[1 << 16]; \
        for (int i = 0; i < 1 << 16; i++) line[i] = 'x'; \
        for (int i = 0; i < 1 << 14; i++) fwrite(line, 1, sizeof line, stdout); return 0; }\n";
    let directory = scratch();
    build_text(text, directory.path());
    for options in [&[][..], &["--show-output"]] {
        let mut checking = Command::new(tool("leno"))
            .arg("check")
            .args(options)
            .arg("./program")
            .current_dir(directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The most that leno or the program ever had in memory, in kilobytes.
        let peak = |pid: &str| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
            line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number")
        };
        let mut most = 0;
        while checking.try_wait().unwrap().is_none() {
            let pid = checking.id().to_string();
            let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
            for pid in children.unwrap_or_default().split_whitespace().chain([pid.as_str()]) {
                most = most.max(peak(pid));
            }
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(checking.wait().unwrap().code(), Some(0), "{options:?}");
        assert!((1..300_000).contains(&most), "{options:?}: {most} kB");
    }
}

#[test]
fn ten_thousand_threads_are_not_too_many() {
    let head = "#include <assert.h>\n#include <pthread.h>\n\
        static pthread_t threads[10000];\n\
        static void *work(void *argument) { return argument; }\n\
        static void make(long i) { assert(!pthread_create(&threads[i], 0, work, (void *)i)); }\n\
        static void join(long i) { void *result; \
        assert(!pthread_join(threads[i], &result) && result == (void *)i); }\n";
    let at_once = "int main(void) { for (long i = 0; i < 10000; i++) make(i); \
        for (long i = 0; i < 10000; i++) join(i); return 0; }\n";
    let one_by_one = "int main(void) { for (long i = 0; i < 10000; i++) { make(i); join(i); } \
        return 0; }\n";
    for main in [at_once, one_by_one] {
        let directory = scratch();
        build_text(&format!("{head}{main}"), directory.path());
        let check = |options: &[&str]| {
            let fixed = ["check", "--format", "json", "--timeout", "300s"];
            let ran = leno(directory.path(), &[&fixed[..], options, &["./program"]].concat());
            let report = ran.json().unwrap();
            assert!(report["processor_seconds"].as_f64() < Some(60.0), "{report}");
            (ran.status, report)
        };
        let (status, report) = check(&["--max-threads", "0"]);
        assert_eq!(status, Some(0), "{report}");
        assert_eq!((&report["executions"], &report["events"]), (&1.into(), &30_001.into()));
        // Unless somebody says so there is a bound, and it is named.
        let (status, report) = check(&[]);
        assert_eq!((status, &report["coverage"]), (Some(3), &"bounded".into()), "{report}");
        assert!(report["notes"].to_string().contains("program.c:5 in make"), "{report}");
    }
}

/// All processes whose command is the program of this directory.
fn processes_of(directory: &Path) -> Vec<String> {
    let program = directory.join("program");
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let is_ours = |path: &Path| fs::read_link(path.join("exe")).is_ok_and(|exe| exe == program);
    entries
        .filter(|entry| is_ours(&entry.path()))
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn a_signal_at_any_moment_ends_the_check_with_the_verdict_so_far() {
    let directory = scratch();
    let here = directory.path().canonicalize().unwrap();
    let text = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n\
        void *f(void *p) { for (int i = 0; i < 8; i++) x++; return p; }\n\
        int main(void) { pthread_t t[4]; for (int i = 0; i < 4; i++) \
        pthread_create(&t[i], 0, f, 0); for (int i = 0; i < 4; i++) pthread_join(t[i], 0); }\n";
    build_text(text, &here);
    let mut random = Random(5);
    for round in 0..30 {
        let mode: &[&str] = if round % 2 == 0 { &[] } else { &["--isolate"] };
        let checking = Command::new(tool("leno"))
            .args(["check", "--format", "json"])
            .args(mode)
            .arg("./program")
            .current_dir(&here)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Until leno has started the program there is nothing to be clean about.
        let pid = checking.id();
        while fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap().is_empty() {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(random.below(150) as u64));
        let signal = ["-INT", "-TERM", "-HUP"][round % 3];
        let started = Instant::now();
        Command::new("kill").args([signal, &checking.id().to_string()]).status().unwrap();
        let output = checking.wait_with_output().unwrap();
        assert!(started.elapsed() < Duration::from_secs(10), "{signal} was not heard");
        let ran = Ran {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        let report: Value = ran.json().unwrap_or_else(|error| panic!("{signal}: {error}"));
        assert_eq!((ran.status, &report["verdict"]), (Some(3), &"unknown".into()), "{report}");
        // The process of an execution is told to end, and takes a moment.
        let gone = (0..200).any(|_| {
            thread::sleep(Duration::from_millis(10));
            processes_of(&here).is_empty()
        });
        assert!(gone, "processes were left");
    }
}
