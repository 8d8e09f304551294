//! Which mutants the models notice: see `scripts/mutants`, which puts this into a copy of the
//! checker that has them.

mod sim;

use leno_checker::mutants;
use leno_model::wire::SearchKind;
use sim::{
    Program, directed, generate,
    oracle::{Verdict, check, check_awaits, has_symmetry, loses_nothing, reference},
};
use std::{panic, sync::atomic::Ordering::Relaxed};

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

struct Mutant {
    number: usize,
    killed: bool,
}

/// Says what is wrong about a program.
type Trial = Box<dyn Fn(&Program) -> Result<(), String>>;
/// A program, and what makes a trial of it before anything is broken; none if it is too large,
/// or says nothing.
type Model = (String, Program, fn(&Program) -> Option<Trial>);

fn models(first: u64) -> Box<dyn Iterator<Item = Model>> {
    let name = |seed| format!("model {seed}");
    if mutants::SYMMETRY {
        let known = directed::all().into_iter();
        let known = known.map(|(name, program)| (name.to_string(), program, symmetry as _));
        let random = (first..).map(move |seed| (name(seed), generate::symmetric(seed), symmetry as _));
        return Box::new(known.chain(random));
    }
    // As `fuzz.rs` has it, there is one for awaits to twenty-five for the searches.
    Box::new((first..).map(move |seed| match seed % 25 {
        0 => (name(seed), generate::spinning(seed), awaits as _),
        _ => (name(seed), generate::program(seed), searches as _),
    }))
}

#[test]
fn every_mutant_is_noticed() {
    if std::env::var_os("LENO_LOUD").is_none() {
        panic::set_hook(Box::new(|_| {}));
    }
    let killed = std::env::var("LENO_KILLED").unwrap_or_default();
    let killed: Vec<usize> =
        killed.split_whitespace().map(|number| number.parse().expect("a number")).collect();
    let only = std::env::var("LENO_MUTANT").unwrap_or_default();
    let is_wanted = |number: &usize| mutants::NAMES[*number].contains(&only);
    let mut all: Vec<Mutant> = (0..mutants::NAMES.len())
        .filter(is_wanted)
        .map(|number| Mutant { number, killed: killed.contains(&number) })
        .collect();
    for mutant in all.iter().filter(|mutant| mutant.killed) {
        println!("{}: a count or a unit test", mutants::NAMES[mutant.number]);
    }
    let (count, first) = (number("LENO_FUZZ", 2000), number("LENO_SEED", 0));
    let mut compared = 0;
    for (name, program, prepare) in models(first) {
        mutants::CHOSEN.store(usize::MAX, Relaxed);
        let Some(trial) = prepare(&program) else { continue };
        if let Err(why) = trial(&program) {
            println!("{name}: without mutants: {why}\n{program}");
            continue;
        }
        if name.starts_with("model") {
            compared += 1;
        }
        for mutant in all.iter_mut().filter(|mutant| !mutant.killed) {
            mutants::CHOSEN.store(mutant.number, Relaxed);
            let attempt = panic::AssertUnwindSafe(|| trial(&program));
            let noticed = panic::catch_unwind(attempt).unwrap_or(Err("panics".to_string()));
            if let Err(why) = noticed {
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

fn symmetry(program: &Program) -> Option<Trial> {
    const BUDGET: u64 = 1000;
    if !has_symmetry(program, BUDGET) {
        return None;
    }
    let (expected, _) = reference(program, BUDGET)?;
    Some(Box::new(move |program| {
        loses_nothing(SearchKind::Source, program, 4 * BUDGET, &expected).map(|_| ())
    }))
}

fn searches(program: &Program) -> Option<Trial> {
    compared(program, check)
}

fn awaits(program: &Program) -> Option<Trial> {
    compared(program, check_awaits)
}

fn compared(
    program: &Program,
    check: fn(&Program, u64) -> Result<Verdict, String>,
) -> Option<Trial> {
    const BUDGET: u64 = 250;
    let is_small = !matches!(check(program, BUDGET), Ok(Verdict::Skipped));
    is_small.then(|| -> Trial { Box::new(move |program| check(program, BUDGET).map(|_| ())) })
}
