//! `make bench`: what an execution costs, as tables.
//!
//! `leno-bench --soak N` instead runs N executions of a program that has more (ten
//! million, unless told) and says what memory that took. `leno-bench --symmetry SECONDS`
//! makes the tables of docs/symmetry-table.md: programs whose threads are interchangeable,
//! each checked for at most so long (ten minutes, unless told), and what it costs to
//! look for symmetry where there is none.

mod symmetry;

use leno_tests::{compile, leno, root, scratch};
use serde_json::Value;
use std::{path::Path, process::Command, time::Instant};

/// (name, source, flags, executions that the search must make)
const PROGRAMS: [(&str, &str, &str, u64); 7] = [
    ("indexer, 12 threads", "bench/indexer.c", "-DTHREADS=12", 8),
    ("indexer, 15 threads", "bench/indexer.c", "-DTHREADS=15", 4096),
    ("lock counter, 6 threads", "counts/lock-counter.c", "-DN=6", 720),
    ("lock counter, 7 threads", "counts/lock-counter.c", "-DN=7", 5040),
    ("racy counter, 3 x 2", "bench/racy-counter.c", "-DTIMES=2", 7134),
    ("racy counter, 3 x 3", "bench/racy-counter.c", "-DTIMES=3", 1_824_912),
    ("fib, 6 iterations", "bench/fib.c", "-DTIMES=6", 73_789),
];

/// The best of this many runs counts: the others were disturbed.
const RUNS: usize = 5;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [] => speed(),
        [soak] if soak == "--soak" => self::soak(10_000_000),
        [soak, count] if soak == "--soak" && count.parse::<u64>().is_ok() => {
            self::soak(count.parse().expect("just tried"));
        }
        [symmetry] if symmetry == "--symmetry" => self::symmetry::tables(600),
        [symmetry, seconds] if symmetry == "--symmetry" && seconds.parse::<u64>().is_ok() => {
            self::symmetry::tables(seconds.parse().expect("just tried"));
        }
        _ => fail("leno-bench", "usage: leno-bench [--soak [EXECUTIONS] | --symmetry [SECONDS]]"),
    }
}

/// What the rates are of: one execution for each trace, whoever could change places.
const TRACES: [&str; 2] = ["--symmetry", "off"];

fn speed() {
    println!(
        "{:<26}{:>11}{:>16}{:>16}{:>16}{:>8}",
        "", "executions", "in place, 1/s", "processor, 1/s", "isolated, 1/s", "ratio"
    );
    let mut profiles = Vec::new();
    for (name, source, flag, executions) in PROGRAMS {
        let directory = scratch();
        build(name, source, flag, directory.path());
        // By the clock, and by what it has of a processor: others may use that too.
        let rates = |runs: usize, options: &[&str], most: u64| {
            let options = [&TRACES, options].concat();
            let reports = reports(name, directory.path(), &options, runs);
            if let Some(other) = reports.iter().find(|report| report["executions"] != most) {
                fail(name, &format!("expected {most} executions, got {other}"));
            }
            let best =
                |unit: &str| reports.iter().map(|r| number(r, unit)).fold(f64::NAN, f64::min);
            (most as f64 / best("seconds"), most as f64 / best("processor_seconds"))
        };
        let rate = |runs, options: &[&str], most| rates(runs, options, most).0;
        let runs = if executions < 1_000_000 { RUNS } else { 1 };
        let (in_place, processor) = rates(runs, &[], executions);
        let isolated = match executions {
            // More would take minutes and tell nothing new.
            10_000.. => rate(1, &["--isolate", "--max-executions", "5000"], 5000),
            _ => rate(2, &["--isolate"], executions),
        };
        let ratio = in_place / isolated;
        println!(
            "{name:<26}{executions:>11}{in_place:>16.0}{processor:>16.0}{isolated:>16.0}{ratio:>8.1}"
        );
        profiles.push((
            name,
            best(name, directory.path(), &[&TRACES[..], &["--profile"]].concat(), runs),
        ));
    }
    println!(
        "\nThe best of {RUNS} runs, the start of the program included; \"processor\": in place, for a \
         second of processor time, leno's own included.\n"
    );
    println!(
        "{:<26}{:>11}{:>12}{:>12}{:>12}",
        "µs for each execution", "program", "scheduling", "restore", "analysis"
    );
    for (name, report) in profiles {
        let part = |name: &str| number(&report["profile"], name);
        println!(
            "{name:<26}{:>11.2}{:>12.2}{:>12.2}{:>12.2}",
            part("program"),
            part("scheduling"),
            part("restore"),
            part("analysis")
        );
    }
    println!("\nMeasured with --profile, which costs some percent itself.\n");
    symmetry::share();
    computing();
}

/// What instrumented code costs where nothing is to be seen.
fn computing() {
    let directory = scratch();
    build("computing", "bench/compute.c", "-g", directory.path());
    let source = root().join("testsuite/bench/compute.c");
    let plain = directory.path().join("plain");
    let mut clang = Command::new("clang-22");
    clang.args(["-O2", "-pthread", "-o"]).arg(&plain).arg(source);
    if !clang.status().is_ok_and(|status| status.success()) {
        fail("computing", "clang-22 does not compile it");
    }
    println!("{:<26}{:>11}{:>16}{:>8}", "without leno, seconds", "clang", "leno-cc", "ratio");
    for (name, argument) in [("calls", "32"), ("arithmetic", "1050"), ("private memory", "2020")] {
        let time = |program: &str| {
            let run = || {
                let started = Instant::now();
                let run = Command::new(directory.path().join(program)).arg(argument).status();
                run.unwrap_or_else(|error| fail(name, &error.to_string()));
                started.elapsed().as_secs_f64()
            };
            (0..RUNS).map(|_| run()).fold(f64::INFINITY, f64::min)
        };
        let (plain, built) = (time("plain"), time("program"));
        println!("{name:<26}{plain:>11.3}{built:>16.3}{:>8.1}", built / plain);
    }
}

/// Memory must not grow with the number of executions.
fn soak(executions: u64) {
    let directory = scratch();
    build("fib", "bench/fib.c", "-DTIMES=9", directory.path());
    println!("{:<26}{:>16}{:>12}{:>16}", "fib, 9 iterations", "executions", "1/s", "peak memory");
    for count in [executions / 1000, executions / 10, executions] {
        let limit = count.to_string();
        let report = best("fib", directory.path(), &["--max-executions", &limit], 1);
        let megabytes = number(&report, "peak_memory") / 1e6;
        let rate = number(&report, "executions_per_second");
        println!("{:<26}{:>16}{rate:>12.0}{megabytes:>13.1} MB", "", report["executions"]);
    }
}

fn build(name: &str, source: &str, flags: &str, directory: &Path) {
    let source = root().join("testsuite").join(source);
    let flags: Vec<&str> = flags.split(' ').chain(["-O2"]).collect();
    compile(&source, &flags, &directory.join("program")).unwrap_or_else(|error| fail(name, &error));
}

/// The report of the fastest of some runs.
fn best(name: &str, directory: &Path, options: &[&str], runs: usize) -> Value {
    let reports = reports(name, directory, options, runs).into_iter();
    let best = reports.min_by(|a, b| number(a, "seconds").total_cmp(&number(b, "seconds")));
    best.unwrap_or_else(|| fail(name, "it was not run"))
}

/// The reports of some runs; none of them may show a bug.
fn reports(name: &str, directory: &Path, options: &[&str], runs: usize) -> Vec<Value> {
    (0..runs).map(|_| run(name, directory, options, false)).collect()
}

/// The report of one run, which has to show a bug or must not.
fn run(name: &str, directory: &Path, options: &[&str], bug: bool) -> Value {
    let args = [&["check", "--format", "json"], options, &["./program"]].concat();
    let report = leno(directory, &args).json().unwrap_or_else(|error| fail(name, &error));
    if (report["verdict"] == "bug") != bug {
        fail(name, &format!("{report}"));
    }
    report
}

fn number(report: &Value, field: &str) -> f64 {
    report[field].as_f64().unwrap_or(f64::NAN)
}

fn fail(name: &str, what: &str) -> ! {
    eprintln!("{name}: {what}");
    std::process::exit(1)
}
