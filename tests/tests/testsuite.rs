//! Every program of `testsuite/` does what it says at its head, and every bug that is
//! found shows again when its trace is replayed.

use leno_tests::{compile, expectation, expectation::Expectation, leno, root, scratch};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Seconds for one check; they take less than one.
const TIMEOUT: f64 = 60.0;

#[test]
fn the_programs_behave_as_they_say() {
    let mut programs = Vec::new();
    find(&root().join("testsuite"), &mut programs);
    programs.sort();
    assert!(programs.len() >= 20, "only {} programs were found", programs.len());
    let wanted = std::env::var("LENO_ONLY").unwrap_or_default();
    programs.retain(|program| program.to_string_lossy().contains(&wanted));

    let (next, report) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let differences = try_program(program);
                    report.lock().expect("no thread panics").extend(differences);
                }
            });
        }
    });
    let mut report = report.into_inner().expect("no thread panics");
    report.sort();
    assert!(report.is_empty(), "\n\n{}\n", report.join("\n"));
}

fn find(directory: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("testsuite/ can be read") {
        let path = entry.expect("testsuite/ can be read").path();
        if path.is_dir() {
            find(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            into.push(path);
        }
    }
}

/// All differences between what the program says and what leno says.
fn try_program(source: &Path) -> Vec<String> {
    let name = source.strip_prefix(root().join("testsuite")).unwrap_or(source).display();
    let expectations = match expectation::read(source) {
        Ok(expectations) => expectations,
        Err(error) => return vec![format!("{name}: {error}")],
    };
    let differences = expectations.iter().flat_map(|expectation| {
        let title =
            format!("{name} {} {}", expectation.options.join(" "), expectation.cflags.join(" "));
        let differences = try_once(source, expectation);
        differences.into_iter().map(move |difference| format!("{title}\n    {difference}"))
    });
    differences.collect()
}

fn try_once(source: &Path, expectation: &Expectation) -> Vec<String> {
    let directory = scratch();
    let program = directory.path().join("program");
    if let Err(error) = compile(source, &expectation.cflags, &program) {
        return vec![format!("it does not compile:\n{error}")];
    }
    let timeout = format!("{TIMEOUT}s");
    let mut args = vec!["check", "--format", "json", "--timeout", &timeout];
    args.extend(expectation.options.iter().map(String::as_str));
    args.extend(["--", "./program"]);
    args.extend(expectation.args.iter().map(String::as_str));
    let ran = leno(directory.path(), &args);
    let report = match ran.json() {
        Ok(report) => report,
        Err(error) => return vec![error],
    };
    let mut differences = expectation.differences(&report);
    // A limit that does not work must not pass for one that was reached.
    if report["seconds"].as_f64().is_some_and(|seconds| seconds >= TIMEOUT) {
        differences.push("the time was up".to_string());
    }
    let status = match report["verdict"].as_str() {
        Some("safe") => 0,
        Some("bug") => 1,
        Some("unknown") => 3,
        _ => 2,
    };
    if ran.status != Some(status) {
        differences.push(format!("the exit status is {:?}, not {status}", ran.status));
    }
    for bug in report["bugs"].as_array().into_iter().flatten() {
        let trace = bug["trace"].as_str().unwrap_or_default();
        let replayed = leno(directory.path(), &["replay", trace]);
        if replayed.status != Some(1) {
            let (status, stderr) = (replayed.status, replayed.stderr);
            differences.push(format!("replay of {trace}: status {status:?}, {stderr}"));
        }
    }
    differences
}
