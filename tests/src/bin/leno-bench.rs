//! `make bench`: executions per second on a few programs, as a table.

use leno_tests::{compile, leno, root, scratch};

/// (name, source, flags, executions that the search must make)
const PROGRAMS: [(&str, &str, &str, u64); 3] = [
    ("indexer, 12 threads", "bench/indexer.c", "-DTHREADS=12", 8),
    ("indexer, 15 threads", "bench/indexer.c", "-DTHREADS=15", 4096),
    ("lock counter, 6 threads", "counts/lock-counter.c", "-DN=6", 720),
];

/// The best of this many runs counts: the others were disturbed.
const RUNS: usize = 3;

fn main() {
    let directory = scratch();
    let program = directory.path().join("program");
    println!("{:<26}{:>12}{:>10}{:>16}{:>9}", "", "executions", "seconds", "executions/s", "ratio");
    let mut base = None;
    for (name, source, flag, executions) in PROGRAMS {
        let source = root().join("testsuite").join(source);
        compile(&source, &[flag, "-O2"], &program).unwrap_or_else(|error| fail(name, &error));
        let best = (0..RUNS)
            .map(|_| {
                let ran = leno(directory.path(), &["check", "--format", "json", "./program"]);
                let report = ran.json().unwrap_or_else(|error| fail(name, &error));
                if report["verdict"] != "safe" || report["executions"] != executions {
                    fail(name, &format!("expected {executions} executions, got {report}"));
                }
                report["seconds"].as_f64().unwrap_or_default()
            })
            .fold(f64::INFINITY, f64::min);
        let rate = executions as f64 / best;
        let ratio = rate / *base.get_or_insert(rate);
        println!("{name:<26}{executions:>12}{best:>10.3}{rate:>16.0}{ratio:>9.2}");
    }
}

fn fail(name: &str, what: &str) -> ! {
    eprintln!("{name}: {what}");
    std::process::exit(1)
}
