//! `make bench`: executions per second on a few programs, as a table.

use leno_tests::{compile, leno, root, scratch};
use std::path::Path;

/// (name, source, flags, executions that the search must make)
const PROGRAMS: [(&str, &str, &str, u64); 3] = [
    ("indexer, 12 threads", "bench/indexer.c", "-DTHREADS=12", 8),
    ("indexer, 15 threads", "bench/indexer.c", "-DTHREADS=15", 4096),
    ("lock counter, 6 threads", "counts/lock-counter.c", "-DN=6", 720),
];

/// The best of this many runs counts: the others were disturbed.
const RUNS: usize = 3;

fn main() {
    println!(
        "{:<26}{:>12}{:>18}{:>18}{:>8}",
        "", "executions", "in place, 1/s", "isolated, 1/s", "ratio"
    );
    for (name, source, flag, executions) in PROGRAMS {
        let directory = scratch();
        let source = root().join("testsuite").join(source);
        let program = directory.path().join("program");
        compile(&source, &[flag, "-O2"], &program).unwrap_or_else(|error| fail(name, &error));
        let rate = |options: &[&str]| {
            let times = (0..RUNS).map(|_| seconds(name, directory.path(), options, executions));
            executions as f64 / times.fold(f64::INFINITY, f64::min)
        };
        let (in_place, isolated) = (rate(&[]), rate(&["--isolate"]));
        let ratio = in_place / isolated;
        println!("{name:<26}{executions:>12}{in_place:>18.0}{isolated:>18.0}{ratio:>8.1}");
    }
    println!("\nThe best of {RUNS} runs, the start of the program included.");
}

/// How long one check takes; it must make the expected number of executions.
fn seconds(name: &str, directory: &Path, options: &[&str], executions: u64) -> f64 {
    let args = [&["check", "--format", "json"], options, &["./program"]].concat();
    let report = leno(directory, &args).json().unwrap_or_else(|error| fail(name, &error));
    if report["verdict"] != "safe" || report["executions"] != executions {
        fail(name, &format!("expected {executions} executions, got {report}"));
    }
    report["seconds"].as_f64().unwrap_or_default()
}

fn fail(name: &str, what: &str) -> ! {
    eprintln!("{name}: {what}");
    std::process::exit(1)
}
