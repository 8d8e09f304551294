//! What the search itself costs, without the execution:
//! `cargo test --release -p leno-checker --test speed -- --ignored --nocapture`

mod sim;

use leno_checker::{Optimal, Search, Source};
use sim::{Instr, Loc, PLAIN, Program, SC, X, run};
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
