//! What the search itself costs, without the execution. The measurement:
//! `cargo test --release -p leno-checker --test speed -- --ignored --nocapture`

mod sim;

use leno_checker::{Optimal, Search, Source};
use sim::{Instr, Loc, PLAIN, Program, RLX, SC, X, Y, run, run_within};
use std::time::{Duration, Instant};

fn measure(name: &str, program: &Program, limit: u64) {
    measure_search(&format!("source, {name}"), &mut Source::new(), program, limit);
    measure_search(&format!("optimal, {name}"), &mut Optimal::new(), program, limit);
}

fn measure_search(name: &str, search: &mut dyn Search, program: &Program, limit: u64) {
    let (mut searching, mut running) = (Duration::ZERO, Duration::ZERO);
    let mut start = Instant::now();
    let mut runs = 0;
    while let Some(plan) = search.next() {
        searching += start.elapsed();
        start = Instant::now();
        let recorded = run(program, plan, None);
        running += start.elapsed();
        start = Instant::now();
        search.absorb(&recorded.execution());
        runs += 1;
        if runs == limit {
            break;
        }
    }
    searching += start.elapsed();
    let counts = search.counts();
    println!(
        "{name}: {runs} executions, {} events; {} ns an execution, {} ns an event in the search; \
         {} ns an event in the simulator with the director",
        counts.events,
        searching.as_nanos() / u128::from(runs),
        searching.as_nanos() / u128::from(counts.events),
        running.as_nanos() / u128::from(counts.events),
    );
}

fn parallel(threads: Vec<Vec<Instr>>) -> Program {
    let count = threads.len() as u32;
    let main = (1..=count).map(Instr::Create).chain((1..=count).map(Instr::Join)).collect();
    Program { threads: std::iter::once(main).chain(threads).collect(), ..Program::default() }
}

#[test]
#[ignore = "a measurement"]
fn what_the_search_costs() {
    let count = vec![
        Instr::Lock(0),
        Instr::Load { loc: X, order: PLAIN, reg: 0 },
        Instr::StoreNext { loc: X, order: PLAIN, reg: 0 },
        Instr::Unlock(0),
    ];
    measure("lock counter, 7 threads", &parallel(vec![count; 7]), 100_000);
    let readers = std::iter::repeat_n(vec![Instr::Load { loc: X, order: SC, reg: 0 }], 13);
    let writer = std::iter::once(vec![Instr::Store { loc: X, order: SC, value: 1 }]);
    measure("one writer, 13 readers", &parallel(writer.chain(readers).collect()), 100_000);
    let table = |k: u64| {
        let cas = |m: u64| Instr::Cas {
            loc: Loc((k * 3 + m * 7) % 16 * 8, 8),
            order: SC,
            from: 0,
            to: k + 1,
            reg: 0,
        };
        (0..4).map(cas).collect()
    };
    measure("table of CAS, 6 threads", &parallel((0..6).map(table).collect()), 100_000);
}

/// For how many hundredths of a second this thread has had a processor.
fn processor_time() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").expect("Linux has it");
    let behind_name = stat.rsplit(')').next().expect("the name is in brackets");
    let mut fields = behind_name.split_ascii_whitespace().skip(11);
    let mut next = || fields.next().and_then(|field| field.parse::<u64>().ok()).expect("a number");
    next() + next()
}

/// What it takes, in hundredths of a second, to run and absorb two executions of two
/// threads that do the same over and over.
fn time_to_absorb(body: &[Instr], times: usize) -> f64 {
    let program = parallel(vec![body.repeat(times); 2]);
    let start = processor_time();
    let mut rounds = 0;
    while processor_time() - start < 15 {
        let mut search = Optimal::new();
        for _ in 0..2 {
            let Some(plan) = search.next() else { break };
            search.absorb(&run_within(0, &program, plan, None).execution());
        }
        rounds += 1;
    }
    (processor_time() - start) as f64 / f64::from(rounds)
}

#[test]
fn eight_times_the_events_take_about_eight_times_as_long() {
    let read = |loc| Instr::Load { loc, order: PLAIN, reg: 0 };
    let programs: [(&str, Vec<Instr>); 6] = [
        (
            "critical sections, beside a variable that nobody writes",
            vec![
                Instr::Lock(0),
                read(X),
                Instr::StoreNext { loc: X, order: PLAIN, reg: 0 },
                Instr::Load { loc: Y, order: SC, reg: 1 },
                Instr::Unlock(0),
            ],
        ),
        ("relaxed atomics", vec![Instr::Add { loc: X, order: RLX, reg: 0 }]),
        ("readers", vec![Instr::ReadLock(0), read(X), Instr::RwUnlock(0)]),
        ("signals", vec![Instr::Lock(0), Instr::Signal(0), Instr::Unlock(0)]),
        ("attempts", vec![Instr::TryLock { mutex: 0, reg: 0 }, Instr::Unlock(0)]),
        ("posts", vec![Instr::SemPost(0)]),
    ];
    for (name, body) in programs {
        let (once, eight_times) = (time_to_absorb(&body, 500), time_to_absorb(&body, 4000));
        println!("{name}: {:.1} times as long", eight_times / once);
        assert!(eight_times < 24.0 * once, "{name}: {:.1} times as long", eight_times / once);
    }
}
