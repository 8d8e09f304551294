//! Which mutants of the rule for symmetry the models notice: see `scripts/mutants`, which puts
//! this into a copy of the checker that has them.

mod sim;

use leno_checker::{Source, mutants};
use sim::{
    Program, directed, generate,
    oracle::{Anonymous, has_symmetry, loses_nothing, reference},
};
use std::{panic, sync::atomic::Ordering::Relaxed};

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

const BUDGET: u64 = 1000;

struct Mutant {
    number: usize,
    killed: bool,
}

#[test]
fn every_mutant_is_noticed() {
    if std::env::var_os("LENO_LOUD").is_none() {
        panic::set_hook(Box::new(|_| {}));
    }
    let mut all: Vec<Mutant> =
        (0..mutants::NAMES.len()).map(|number| Mutant { number, killed: false }).collect();
    let (count, first) = (number("LENO_FUZZ", 2000), number("LENO_SEED", 0));
    let only = std::env::var("LENO_MUTANT").ok();
    all.retain(|mutant| only.as_ref().is_none_or(|only| mutants::NAMES[mutant.number].contains(only)));
    let known = directed::all().into_iter();
    let models = known.map(|(name, program)| (name.to_string(), program));
    let random = (first..).map(|seed| (format!("model {seed}"), generate::symmetric(seed)));
    let mut compared = 0;
    for (name, program) in models.chain(random) {
        mutants::CHOSEN.store(usize::MAX, Relaxed);
        if !has_symmetry(&program, BUDGET) {
            continue;
        }
        let Some((expected, _)) = reference(&program, BUDGET) else { continue };
        if let Err(why) = try_it(&program, &expected) {
            println!("{name}: without mutants: {why}\n{program}");
            continue;
        }
        if name.starts_with("model") {
            compared += 1;
        }
        for mutant in all.iter_mut().filter(|mutant| !mutant.killed) {
            mutants::CHOSEN.store(mutant.number, Relaxed);
            if let Err(why) = try_it(&program, &expected) {
                let why = why.split(':').next().unwrap_or_default();
                println!("{}: {name} ({why})", mutants::NAMES[mutant.number]);
                mutant.killed = true;
            }
        }
        if compared >= count || all.iter().all(|mutant| mutant.killed) {
            break;
        }
    }
    println!("{compared} models");
    for mutant in &all {
        let name = mutants::NAMES[mutant.number];
        match (mutant.killed, name.starts_with('=')) {
            (false, false) => println!("SURVIVES {name}"),
            (true, true) => println!("IS NOTICED {name}"),
            _ => {}
        }
    }
}

fn try_it(program: &Program, expected: &Anonymous) -> Result<(), String> {
    let attempt = panic::AssertUnwindSafe(|| {
        loses_nothing(&mut Source::new().with_symmetry(), program, 4 * BUDGET, expected)
    });
    panic::catch_unwind(attempt).map_err(|_| "panics".to_string())?.map(|_| ())
}
