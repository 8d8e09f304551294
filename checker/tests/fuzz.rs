//! The oracle: on random programs, the reductions find exactly what naive enumeration
//! finds, with one execution for each Mazurkiewicz trace.
//!
//! `LENO_FUZZ=100000 cargo test --release -p leno-checker --test fuzz -- --nocapture`
//! runs more of them, `LENO_SEED` others.

mod sim;

use sim::{
    Program, generate,
    oracle::{Verdict, check, check_awaits, check_symmetry, shrink},
};
use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// Executions that the naive search may take for one program. In a campaign there is
/// time for larger programs.
fn budget() -> u64 {
    if std::env::var_os("LENO_FUZZ").is_some() { 1500 } else { 250 }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[derive(Default)]
struct Tally {
    compared: u64,
    skipped: u64,
    buggy: u64,
    naive: u64,
    traces: u64,
    others: [u64; 3],
}

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Skipped => self.skipped += 1,
            Verdict::Agree { naive, traces, others, bugs } => {
                self.compared += 1;
                self.naive += naive;
                self.traces += traces;
                self.others.iter_mut().zip(others).for_each(|(all, one)| *all += one);
                self.buggy += u64::from(*bugs > 0);
            }
        }
    }
}

/// Checks random programs until enough of them were small enough; panics with the smallest
/// program for which something is wrong.
fn campaign(
    generate: impl Fn(u64) -> Program + Sync,
    check: impl Fn(&Program) -> Result<Verdict, String> + Sync,
) -> Tally {
    let programs = number("LENO_FUZZ", 5000);
    let next = AtomicU64::new(number("LENO_SEED", 0));
    let tally = Mutex::new(Tally::default());
    let failure = Mutex::new(None);
    let work = || {
        while tally.lock().unwrap().compared < programs && failure.lock().unwrap().is_none() {
            let seed = next.fetch_add(1, Relaxed);
            let program = generate(seed);
            match check(&program) {
                Ok(verdict) => tally.lock().unwrap().add(&verdict),
                Err(why) => {
                    let small = shrink(&program, &check);
                    let small_why = check(&small).err().unwrap_or_default();
                    let message =
                        format!("seed {seed}: {why}\n{program}\nshrunk: {small_why}\n{small}");
                    failure.lock().unwrap().get_or_insert(message);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    if let Some(message) = failure.into_inner().unwrap() {
        panic!("{message}");
    }
    tally.into_inner().unwrap()
}

#[test]
fn the_reductions_find_what_naive_enumeration_finds() {
    let tally = campaign(generate::program, |program| check(program, budget()));
    let Tally { compared, skipped, buggy, naive, traces, others } = tally;
    let [dpor, source, more] = others;
    println!(
        "{compared} programs ({buggy} with bugs), {skipped} too large; executions: naive {naive}, \
         for each of {traces} traces one; begun in vain by dpor {dpor}, by source {source}; optimal \
         runs {more} more, as its relation is larger for them"
    );
}

#[test]
fn awaits_lose_no_final_state() {
    let programs = number("LENO_FUZZ", 4000) / 20;
    let mut compared = 0;
    for seed in number("LENO_SEED", 0).. {
        let program = generate::spinning(seed);
        match check_awaits(&program, budget()) {
            Ok(Verdict::Agree { .. }) => compared += 1,
            Ok(Verdict::Skipped) => {}
            Err(why) => panic!("seed {seed}: {why}\n{program}"),
        }
        if compared == programs {
            break;
        }
    }
}

/// With symmetry nothing is lost but which of the symmetric threads it was.
#[test]
fn symmetry_loses_nothing_but_names() {
    let tally = campaign(generate::symmetric, |program| check_symmetry(program, 2 * budget()));
    let Tally { compared, skipped, buggy, naive, traces, others, .. } = tally;
    let [symmetric, executions, in_vain] = others;
    println!(
        "{compared} programs ({buggy} with bugs), {skipped} too large; executions: naive {naive}, \
         source sets {traces}, with symmetry {executions} ({in_vain} in vain, {symmetric} cut)"
    );
}
