//! The oracle on real programs: whatever the naive enumeration of a random C program can
//! see, the reduced search sees too, and nothing else.
//!
//! `LENO_FUZZ_C` is the number of programs (30), `LENO_SEED` the first seed (1). A program
//! on which the searches differ is shrunk and kept.

use leno_tests::{
    compile,
    generator::{PREFIX, Program, generate},
    leno, scratch,
};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// What can happen: lines of results and bugs.
type Behaviour = BTreeSet<String>;

#[test]
fn all_searches_see_the_same_of_generated_programs() {
    let number = |name: &str, default| {
        env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let (first, count) = (number("LENO_SEED", 1), number("LENO_FUZZ_C", 30));
    let (mut seed, mut compared) = (first, 0);
    while compared < count {
        let program = generate(seed);
        match differ(&program) {
            Ok(None) => compared += 1,
            // The next seed takes its place.
            Err(Unfit) => {}
            Ok(Some(how)) => panic!("{how}\n{}", kept(seed, shrink(program))),
        }
        seed += 1;
        assert!(seed - first < 10 * count + 20, "nearly all programs are unfit");
    }
}

/// A program that is too large for the naive search, or of which there is little to see.
#[derive(Debug)]
struct Unfit;

/// How the searches differ on a program, if they do.
fn differ(program: &Program) -> Result<Option<String>, Unfit> {
    let directory = scratch();
    let source = directory.path().join("program.c");
    fs::write(&source, program.to_c()).expect("there is room for a program");
    if let Err(error) = compile(&source, &["-Wno-unused"], &directory.path().join("program")) {
        return Ok(Some(format!("it does not compile:\n{error}")));
    }
    let naive = match behaviour(directory.path(), "naive") {
        Ok(Some(naive)) => naive,
        Ok(None) => return Err(Unfit),
        Err(error) => return Ok(Some(error)),
    };
    let mut text = String::new();
    for search in ["source", "dpor", "optimal"] {
        let reduced = match behaviour(directory.path(), search) {
            Ok(Some(reduced)) => reduced,
            Ok(None) => return Ok(Some(format!("{search} did not come to an end"))),
            Err(error) => return Ok(Some(error)),
        };
        let only = |title: &str, one: &Behaviour, other: &Behaviour| {
            one.difference(other).map(|what| format!("{title}: {what}\n")).collect::<String>()
        };
        let (more, less) = (format!("only naive, not {search}"), format!("only {search}"));
        text += &(only(&more, &naive, &reduced) + &only(&less, &reduced, &naive));
    }
    if text.is_empty() && naive.len() < 2 {
        Err(Unfit)
    } else {
        Ok(Some(text).filter(|t| !t.is_empty()))
    }
}

/// All that a search sees; none if it does not come to an end soon enough.
fn behaviour(directory: &Path, search: &str) -> Result<Option<Behaviour>, String> {
    let limits = ["--max-executions", "30000", "--timeout", "30s"];
    // What is written depends on which thread does it.
    let options =
        ["check", "--format", "json", "--keep-going", "--show-output", "--symmetry", "off"];
    let choices = ["--nondet", "int=0..1", "--weak-failures", "1", "--spurious", "1"];
    let args = [&options[..], &limits, &choices, &["--search", search, "./program"]].concat();
    let ran = leno(directory, &args);
    let report = ran.json()?;
    if let Some(error) = report.get("error") {
        return Err(format!("--search {search}: {}", error["message"]));
    }
    if report["coverage"] != "exhaustive" {
        return Ok(None);
    }
    let results = ran.stderr.lines().filter(|line| line.starts_with(PREFIX)).map(str::to_string);
    let bugs = report["bugs"].as_array().into_iter().flatten().map(signature);
    Ok(Some(results.chain(bugs).collect()))
}

/// A bug without what depends on the order in which it was found.
fn signature(bug: &Value) -> String {
    let mut places: Vec<_> = bug["accesses"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|access| format!("{}:{}", access["thread"], access["line"]))
        .collect();
    // Threads that run the same code may take either part in a race.
    if bug["kind"] == "race" {
        places = bug["accesses"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|access| access["line"].to_string())
            .collect();
    }
    places.sort();
    format!("{} {}", bug["kind"], places.join(" "))
}

/// The smallest program on the way down that still differs, within a reasonable time.
fn shrink(mut program: Program) -> Program {
    let deadline = Instant::now() + Duration::from_secs(120);
    'smaller: loop {
        for candidate in program.smaller() {
            if Instant::now() < deadline && matches!(differ(&candidate), Ok(Some(_))) {
                program = candidate;
                continue 'smaller;
            }
        }
        return program;
    }
}

/// Keeps the program and says where and what.
fn kept(seed: u64, program: Program) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("generated-{seed}.c"));
    fs::write(&path, program.to_c()).expect("there is room for a program");
    let how = differ(&program).ok().flatten().unwrap_or_default();
    format!("seed {seed}, kept as {}:\n{how}\n{}", path.display(), program.to_c())
}
