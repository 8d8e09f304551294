//! What exploring equal threads once saves, and what looking for them costs.

use crate::{RUNS, best, build, number, reports, run};
use leno_tests::scratch;
use serde_json::Value;

/// Programs of which `make bench` says what comparing threads takes: (name, source, flags)
const SHARES: [(&str, &str, &str); 4] = [
    ("lock counter, 6 threads", "counts/lock-counter.c", "-DN=6"),
    ("pool, 2 workers", "symmetry/pool.c", "-g"),
    ("pool with tasks, 2 workers", "symmetry/task-pool.c", "-g"),
    ("pfscan, 2 workers, 2 files", "symmetry/pfscan.c", "-DWORKERS=2"),
];

/// A program with equal threads.
struct Program {
    name: &'static str,
    source: &'static str,
    flags: &'static str,
    /// Executions with DPOR, if it came to an end, and with SymDPOR, where the paper on
    /// transition symmetry measures a program of this name.
    paper: Option<(Option<u64>, u64)>,
}

const fn program(name: &'static str, source: &'static str, flags: &'static str) -> Program {
    Program { name, source, flags, paper: None }
}

impl Program {
    const fn paper(self, dpor: Option<u64>, symmetry: u64) -> Self {
        Self { paper: Some((dpor, symmetry)), ..self }
    }
}

const PFSCAN: &str = "symmetry/pfscan.c";
const AGET: &str = "symmetry/aget.c";

const EQUAL_THREADS: [Program; 33] = [
    program("pfscan, 3 threads, 1 file", PFSCAN, "-DWORKERS=2 -DFILES=1").paper(Some(1096), 136),
    program("pfscan, 4 threads, 1 file", PFSCAN, "-DWORKERS=3 -DFILES=1")
        .paper(Some(4_184_546), 7111),
    program("pfscan, 5 threads, 1 file", PFSCAN, "-DWORKERS=4 -DFILES=1").paper(None, 322_695),
    program("pfscan, 3 threads, 2 files", PFSCAN, "-DWORKERS=2 -DFILES=2").paper(Some(1096), 136),
    program("pfscan, 4 threads, 2 files", PFSCAN, "-DWORKERS=3 -DFILES=2")
        .paper(Some(4_184_546), 7111),
    program("pfscan, 5 threads, 2 files", PFSCAN, "-DWORKERS=4 -DFILES=2").paper(None, 322_695),
    program("pfscan, 3 threads, deadlock", PFSCAN, "-DWORKERS=2 -DFILES=1 -DDEADLOCK")
        .paper(Some(120), 71),
    program("pfscan, 4 threads, deadlock", PFSCAN, "-DWORKERS=3 -DFILES=1 -DDEADLOCK")
        .paper(Some(28_079), 3148),
    program("pfscan, 3 threads, race", PFSCAN, "-DWORKERS=2 -DFILES=2 -DRACE").paper(Some(120), 71),
    program("aget, 4 workers, claimed", AGET, "-DWORKERS=4 -DBLOCKS=1 -DCLAIM").paper(None, 462),
    program("aget, 5 workers, claimed", AGET, "-DWORKERS=5 -DBLOCKS=1 -DCLAIM").paper(None, 6006),
    program("aget, 6 workers, claimed", AGET, "-DWORKERS=6 -DBLOCKS=1 -DCLAIM").paper(None, 87_516),
    program("aget, 4 workers, 2 blocks", AGET, "-DWORKERS=4 -DBLOCKS=2").paper(None, 462),
    program("aget, 5 workers, 2 blocks", AGET, "-DWORKERS=5 -DBLOCKS=2").paper(None, 6006),
    program("aget, 4 workers, race", AGET, "-DWORKERS=4 -DBLOCKS=1 -DRACE")
        .paper(Some(1_009_010), 420),
    program("aget, 5 workers, race", AGET, "-DWORKERS=5 -DBLOCKS=1 -DRACE").paper(None, 926),
    program("bounded buffer, 2 + 2, 1 item", "counts/bounded-buffer.c", "-DITEMS=1"),
    program("bounded buffer, 2 + 2, 2 items", "counts/bounded-buffer.c", "-DITEMS=2"),
    program("thread pool, 2 workers", "symmetry/task-pool.c", "-g"),
    program("thread pool, 3 workers", "symmetry/task-pool.c", "-DWORKERS=3"),
    program("readers-writers, 2 + 3", "symmetry/readers-writers.c", "-DWRITERS=2 -DREADERS=3"),
    program("readers-writers, 4 + 4", "symmetry/readers-writers.c", "-DWRITERS=4 -DREADERS=4"),
    program("barrier, 3 threads, 2 phases", "symmetry/barrier-phases.c", "-DN=3 -DPHASES=2"),
    program("barrier, 4 threads, 2 phases", "symmetry/barrier-phases.c", "-DN=4 -DPHASES=2"),
    program("B-tree, 2 threads, 6 keys", "symmetry/b-tree.c", "-DN=2 -DKEYS=6"),
    program("B-tree, 3 threads, 4 keys", "symmetry/b-tree.c", "-DN=3 -DKEYS=4"),
    program("B-tree, 4 threads, 3 keys", "symmetry/b-tree.c", "-DN=4 -DKEYS=3"),
    program("MCS lock, 3 threads", "counts/mcs-lock.c", "-DN=3 -DOWN"),
    program("MCS lock, 4 threads", "counts/mcs-lock.c", "-DN=4 -DOWN"),
    program("lock counter, 8 threads", "counts/lock-counter.c", "-DN=8"),
    program("racy counter, 3 x 2", "bench/racy-counter.c", "-DTIMES=2"),
    program("racy counter, 3 x 3", "bench/racy-counter.c", "-DTIMES=3"),
    program("Treiber's stack, 4 threads", "counts/treiber-stack.c", "-DN=4"),
];

/// Programs in which nothing is symmetric, or not while it matters: (name, source, flags)
const UNEQUAL_THREADS: [(&str, &str, &str); 10] = [
    ("indexer, 15 threads", "bench/indexer.c", "-DTHREADS=15"),
    ("fib, 6 iterations", "bench/fib.c", "-DTIMES=6"),
    ("racy counter, other numbers", "bench/racy-counter.c", "-DTIMES=2 -DAPART"),
    ("last zero, 12 threads", "counts/lastzero.c", "-DN=12"),
    ("Peterson, 3 rounds", "counts/peterson.c", "-DROUNDS=3"),
    ("seqlock, 3 writes", "counts/seqlock.c", "-DWRITES=3"),
    ("ledger (C++)", "bench/ledger.cpp", "-g"),
    ("aget, segments of their own", AGET, "-DWORKERS=3 -DBLOCKS=3"),
    ("MCS lock, nodes in a table", "counts/mcs-lock.c", "-DN=3"),
    ("file system, 20 threads", "counts/filesystem.c", "-DTHREADS=20"),
];

/// What comparing threads costs, and what it saves.
pub fn share() {
    println!(
        "{:<28}{:>10}{:>10}{:>10}{:>11}{:>9}{:>15}{:>8}",
        "executions with symmetry",
        "off",
        "on",
        "compared",
        "symmetric",
        "µs each",
        "µs/execution",
        "share"
    );
    for (name, source, flag) in SHARES {
        let directory = scratch();
        build(name, source, flag, directory.path());
        let run = |symmetry: &str| best(name, directory.path(), &["--symmetry", symmetry], RUNS);
        let (off, on) = (run("off"), run("on"));
        let count = |field: &str| on["symmetry"][field].as_f64().unwrap_or(f64::NAN);
        let (seconds, analyses) = (count("seconds"), count("analyses"));
        println!(
            "{name:<28}{:>10}{:>10}{analyses:>10}{:>11}{:>9.2}{:>15.2}{:>7.1}%",
            number(&off, "executions"),
            number(&on, "executions"),
            count("successes"),
            1e6 * seconds / analyses.max(1.0),
            1e6 * seconds / number(&on, "executions"),
            100.0 * seconds / number(&on, "seconds"),
        );
    }
    println!();
}

/// The tables of docs/symmetry-table.md; no check takes longer than so many seconds.
pub fn tables(seconds: u64) {
    saved(&format!("{seconds}s"));
    println!();
    wasted();
}

fn saved(limit: &str) {
    println!(
        "| program | DPOR | optimal | symmetry | events, optimal | events, symmetry | \
         s, optimal | s, symmetry | s, comparing | compared | symmetric | paper: DPOR | SymDPOR |"
    );
    println!("|---|{}", "--:|".repeat(12));
    for Program { name, source, flags, paper } in EQUAL_THREADS {
        let directory = scratch();
        build(name, source, flags, directory.path());
        let planted = flags.contains("RACE") || flags.contains("DEADLOCK");
        let run = |options: &[&str]| {
            let limits = ["--keep-going", "--timeout", limit];
            run(name, directory.path(), &[&limits, options].concat(), planted)
        };
        let dpor = run(&["--search", "dpor", "--symmetry", "off"]);
        let (off, on) = (run(&["--symmetry", "off"]), run(&["--symmetry", "on"]));
        let seconds = |report: &Value| format!("{:.1}", number(report, "processor_seconds"));
        let mut row = vec![name.to_string()];
        row.extend([&dpor, &off, &on].map(|report| at_least(report, "executions")));
        row.extend([&off, &on].map(|report| at_least(report, "events")));
        row.extend([&off, &on].map(seconds));
        row.push(format!("{:.2}", number(&on["symmetry"], "seconds")));
        row.extend(["analyses", "successes"].map(|field| on["symmetry"][field].to_string()));
        row.extend(beside(paper, &dpor));
        println!("| {} |", row.join(" | "));
    }
    println!(
        "\n`>`: not all within {limit} by the clock. Seconds are of a processor, leno's own \
         included. All bugs are looked for (`--keep-going`)."
    );
}

/// A count, marked if the check did not come to its end.
fn at_least(report: &Value, field: &str) -> String {
    let mark = if report["coverage"] == "exhaustive" { "" } else { ">" };
    format!("{mark}{}", report[field])
}

/// The paper's numbers. They are of another program with the same name, so they say
/// something only if ours has no fewer executions with DPOR.
fn beside(paper: Option<(Option<u64>, u64)>, dpor: &Value) -> [String; 2] {
    match paper {
        None => [String::new(), String::new()],
        Some((None, symmetry)) => ["–".to_string(), symmetry.to_string()],
        Some((Some(theirs), symmetry)) => {
            let comparable = dpor["executions"].as_u64().is_some_and(|ours| ours >= theirs);
            let mark = if comparable { "" } else { ", not comparable" };
            [format!("{theirs}{mark}"), symmetry.to_string()]
        }
    }
}

fn wasted() {
    println!(
        "| program | executions, off | on | s, off | s, on | ratio | compared | s, comparing |"
    );
    println!("|---|{}", "--:|".repeat(7));
    for (name, source, flags) in UNEQUAL_THREADS {
        let directory = scratch();
        build(name, source, flags, directory.path());
        // By turns, so that what disturbs the one disturbs the other.
        let mut both: [Vec<Value>; 2] = Default::default();
        for _ in 0..RUNS {
            for (symmetry, runs) in ["off", "on"].into_iter().zip(&mut both) {
                runs.extend(reports(name, directory.path(), &["--symmetry", symmetry], 1));
            }
        }
        let least = |runs: &[Value]| {
            let times = runs.iter().map(|report| number(report, "processor_seconds"));
            times.fold(f64::NAN, f64::min)
        };
        let [off, on] = &both;
        let (before, after) = (least(off), least(on));
        println!(
            "| {name} | {} | {} | {before:.3} | {after:.3} | {:.2} | {} | {:.4} |",
            off[0]["executions"],
            on[0]["executions"],
            after / before,
            on[0]["symmetry"]["analyses"],
            number(&on[0]["symmetry"], "seconds"),
        );
    }
    println!("\nThe best of {RUNS} runs each, by turns; seconds of a processor.");
}
