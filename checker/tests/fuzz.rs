//! The oracle: on random programs, source DPOR finds exactly what naive enumeration
//! finds, with one execution for each Mazurkiewicz trace.
//!
//! `LENO_FUZZ=100000 cargo test --release -p leno-checker --test fuzz -- --nocapture`
//! runs more of them, `LENO_SEED` others.

mod sim;

use sim::{
    generate,
    oracle::{Verdict, check, shrink},
};

/// Executions that the naive search may take for one program.
const BUDGET: u64 = 1500;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn source_dpor_finds_what_naive_enumeration_finds() {
    let programs = number("LENO_FUZZ", 2000);
    let first = number("LENO_SEED", 0);
    let (mut compared, mut skipped, mut buggy) = (0, 0, 0);
    let (mut naives, mut sources, mut asleeps) = (0, 0, 0);
    let mut seed = first;
    while compared < programs {
        let program = generate::program(seed);
        match check(&program, BUDGET) {
            Ok(Verdict::Skipped) => skipped += 1,
            Ok(Verdict::Agree { naive, source, asleep, bugs }) => {
                compared += 1;
                naives += naive;
                sources += source;
                asleeps += asleep;
                buggy += u64::from(bugs > 0);
            }
            Err(why) => {
                let small = shrink(&program, BUDGET);
                let small_why = check(&small, BUDGET).err().unwrap_or_default();
                panic!("seed {seed}: {why}\n{program}\nshrunk: {small_why}\n{small}");
            }
        }
        seed += 1;
    }
    println!(
        "{compared} programs ({buggy} with bugs), {skipped} too large; executions: naive {naives}, \
         source {sources}, cut by the sleep set {asleeps}"
    );
}
