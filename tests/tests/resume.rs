//! A check that is stopped, gently or not, and gone on with comes to the same end.

use leno_tests::{compile, leno, root, scratch, tool};
use serde_json::Value;
use std::{
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// Runs a check for so long, then sends it a signal.
fn interrupt(directory: &Path, options: &[&str], after: Duration, signal: &str) {
    let fixed = ["check", "--quiet", "--save-every", "5ms"];
    let mut check = Command::new(tool("leno"))
        .args(fixed)
        .args(options)
        .arg("./program")
        .current_dir(directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("leno can be run");
    thread::sleep(after);
    let kill = Command::new("kill").args([signal, &check.id().to_string()]).status();
    kill.expect("there is a command to send signals");
    check.wait().expect("it ends");
}

fn report(directory: &Path, options: &[&str]) -> Value {
    let args = [&["check", "--format", "json"], options, &["./program"]].concat();
    leno(directory, &args).json().expect("a report")
}

/// What must be the same.
fn essence(report: &Value) -> Value {
    let mut kinds: Vec<String> = report["bugs"]
        .as_array()
        .expect("a list of bugs")
        .iter()
        .map(|bug| bug["message"].as_str().unwrap_or_default().to_owned())
        .collect();
    kinds.sort();
    let fields = ["verdict", "executions", "events", "blocked", "digest", "max_depth"];
    let same: Vec<_> = fields.iter().map(|field| report[*field].clone()).collect();
    serde_json::json!([same, kinds])
}

#[test]
fn a_check_that_is_interrupted_comes_to_the_same_end() {
    let cases = [
        ("bench/fib.c", &["-DTIMES=5", "-O2"][..], &[][..]),
        ("bench/fib.c", &["-DTIMES=5", "-O2"], &["--search", "source"]),
        ("bench/fib.c", &["-DTIMES=5", "-O2"], &["--search", "dpor"]),
        ("bench/fib.c", &["-DTIMES=4", "-DBELOW=1", "-O2"], &["--keep-going"]),
        ("bench/fib.c", &["-DTIMES=4", "-DBELOW=1", "-O2"], &["--keep-going", "--search", "dpor"]),
        ("bench/fib.c", &["-DTIMES=2", "-DBELOW=1", "-O2"], &["--keep-going", "--search", "naive"]),
        ("race/plain.c", &["-O0"], &["--keep-going", "--search", "naive"]),
        // With subtrees that are cut, and with executions that are dropped.
        ("counts/bounded-buffer.c", &["-DITEMS=2", "-O2"], &[]),
        ("counts/peterson.c", &["-DROUNDS=4", "-O2"], &[]),
    ];
    for (source, flags, options) in cases {
        let directory = scratch();
        let here = directory.path();
        compile(&root().join("testsuite").join(source), flags, &here.join("program")).unwrap();
        let whole = essence(&report(here, options));
        let mut milliseconds = 17u64;
        for signal in
            ["-INT", "-KILL", "-TERM", "-KILL", "-INT", "-KILL", "-TERM", "-KILL", "-INT", "-KILL"]
        {
            // Not at the same moments each time.
            milliseconds = milliseconds * 31 % 97;
            let output = [&["--output", "saved"], options].concat();
            let resume = [&["--resume", "saved"], options].concat();
            interrupt(here, &output, Duration::from_millis(30 + milliseconds), signal);
            if !here.join("saved/search.leno").exists() {
                continue; // It was through, or had not begun.
            }
            interrupt(here, &resume, Duration::from_millis(20 + milliseconds), "-KILL");
            if here.join("saved/search.leno").exists() {
                assert_eq!(essence(&report(here, &resume)), whole, "{source} {options:?}");
            }
            assert!(!here.join("saved/search.leno").exists(), "what is through is not kept");
        }
    }
}

#[test]
fn a_limit_is_gone_on_from_and_the_bugs_are_those_of_all_parts() {
    let directory = scratch();
    let here = directory.path();
    let program = here.join("program");
    compile(&root().join("testsuite/assertion/atomicity.c"), &["-O0"], &program).unwrap();
    let whole = report(here, &["--keep-going"]);
    let first = ["--keep-going", "--output", "part", "--max-executions", "2"];
    let part = report(here, &first);
    assert_eq!(part["executions"], 2);
    assert!(part["resume"].as_str().is_some_and(|path| path.ends_with("part")), "{part}");
    let rest = report(here, &["--keep-going", "--resume", "part"]);
    assert_eq!(essence(&rest), essence(&whole));
    assert_eq!(rest["estimate"], rest["executions"]);
}

#[test]
fn only_what_was_stopped_is_gone_on_with() {
    let directory = scratch();
    let here = directory.path();
    let source = root().join("testsuite/bench/fib.c");
    compile(&source, &["-DTIMES=4"], &here.join("program")).unwrap();
    let error = |options: &[&str]| {
        let json = report(here, options);
        json["error"]["message"].as_str().unwrap_or_default().to_owned()
    };
    assert!(error(&["--resume", "nothing"]).contains("nothing/search.leno does not exist"));
    report(here, &["--output", "part", "--max-executions", "9"]);
    assert!(error(&["--resume", "part", "--max-steps", "99"]).contains("other options"));
    compile(&source, &["-DTIMES=3"], &here.join("program")).unwrap();
    assert!(error(&["--resume", "part"]).contains("another build"));
    let file = here.join("part/search.leno");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    assert!(error(&["--resume", "part"]).contains("damaged, or cut off"));
    std::fs::write(&file, "something else").unwrap();
    assert!(error(&["--resume", "part"]).contains("does not begin like one"));
}
