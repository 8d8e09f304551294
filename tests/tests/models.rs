//! The models in `models/*.toml` say of each function exactly which bytes it touches:
//! `tests/models/cases.c` has the calls, and says what is done here.

use leno_tests::{compile, leno, on_all_cores, root, scratch};
use std::{path::Path, process::Command};

/// Where the second thread looks, and whether that is a race. A range that begins where
/// an argument points to cannot well be said to begin elsewhere.
const END: [(&str, bool); 2] = [("last", true), ("end", false)];
const START: [(&str, bool); 2] = [("first", true), ("before", false)];

fn check(directory: &Path, case: &str, place: &str, race: bool) -> Vec<String> {
    let output = format!("{case}-{place}.out");
    let args = ["check", "--format", "json", "--output", &output, "--", "./cases", case, place];
    let report = match leno(directory, &args).json() {
        Ok(report) => report,
        Err(error) => return vec![format!("{case} {place}: {error}")],
    };
    let expected = if race { "bug" } else { "safe" };
    let kinds: Vec<_> = report["bugs"].as_array().into_iter().flatten().collect();
    if report["verdict"] == expected && kinds.iter().all(|bug| bug["kind"] == "race") {
        return Vec::new();
    }
    vec![format!("{case} {place}: expected {expected}, found {}", report["bugs"])]
}

#[test]
fn a_function_touches_the_bytes_that_its_model_says_and_no_others() {
    let directory = scratch();
    let program = directory.path().join("cases");
    let source = root().join("tests/models/cases.c");
    compile(&source, &["-w", "-lm"], &program).unwrap();
    let list = Command::new(&program).output().expect("the program lists its cases");
    let list = String::from_utf8(list.stdout).expect("names are ASCII");
    let wanted = std::env::var("LENO_ONLY").unwrap_or_default();
    let cases: Vec<&str> = list.lines().filter(|case| case.contains(&wanted)).collect();
    assert!(cases.len() >= 250 || !wanted.is_empty(), "only {} cases", cases.len());
    let report = on_all_cores(&cases, |case| {
        let (case, inside) = case.split_once(' ').expect("a name and a number");
        let places = if inside == "0" { &END[..] } else { &[END, START].concat() };
        let check = |(place, race): &(&str, bool)| check(directory.path(), case, place, *race);
        places.iter().flat_map(check).collect()
    });
    assert!(report.is_empty(), "\n\n{}\n", report.join("\n"));
}
