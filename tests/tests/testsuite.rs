//! Every program of `testsuite/` does what it says at its head, and every bug that is
//! found shows again when its trace is replayed.
//!
//! `LENO_ONLY` is a part of the paths of the programs that are tried, `LENO_FLAGS` the flags
//! that they are built with.

use leno_tests::{
    compile, expectation, expectation::Expectation, leno, on_all_cores, programs, root, scratch,
    wanted_programs, within,
};
use std::path::Path;

/// Seconds for one check; they take less than one.
const TIMEOUT: f64 = 60.0;

#[test]
fn the_programs_behave_as_they_say() {
    assert!(programs().len() >= 20, "only {} programs were found", programs().len());
    let report = on_all_cores(&wanted_programs(), |program| try_program(program));
    assert!(report.is_empty(), "\n\n{}\n", report.join("\n"));
}

/// All differences between what the program says and what leno says.
fn try_program(source: &Path) -> Vec<String> {
    let name = source.strip_prefix(root().join("testsuite")).unwrap_or(source).display();
    let expectations = match expectation::read(source) {
        Ok(expectations) => expectations,
        Err(error) => return vec![format!("{name}: {error}")],
    };
    let flags = std::env::var("LENO_FLAGS").ok();
    let wanted =
        |tried: &&Expectation| flags.as_ref().is_none_or(|flags| tried.cflags.join(" ") == *flags);
    let differences = expectations.iter().filter(wanted).flat_map(|expectation| {
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
    let mut args = vec!["check", "--format", "json"];
    args.extend(within(&timeout, &expectation.options));
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
