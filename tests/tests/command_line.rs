//! What a user may do wrong, and what every command prints.

use leno_tests::{compile, leno, root, scratch, tool};
use serde_json::Value;
use std::{
    fs,
    io::Write,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
};

/// A program of `testsuite/`, built in `directory` as `program`.
fn build(name: &str, directory: &Path) {
    let source = directory.join("program.c");
    fs::copy(root().join("testsuite").join(name), &source).expect("the program exists");
    compile(&source, &["-DN=3"], &directory.join("program")).expect("it compiles");
}

fn error(directory: &Path, args: &[&str]) -> Value {
    let ran = leno(directory, args);
    assert_eq!(ran.status, Some(2), "{args:?}: {} {}", ran.stdout, ran.stderr);
    ran.json().unwrap_or_else(|error| panic!("{args:?}: {error}"))["error"].clone()
}

#[test]
fn unusable_programs_are_refused_by_name() {
    let directory = scratch();
    let here = directory.path();
    fs::write(here.join("script"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(here.join("script"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(here.join("text"), "text").unwrap();
    let cases = [
        ("./missing", "No such file"),
        ("./script", "not an ELF program"),
        ("./text", "not executable"),
        (".", "directory"),
        ("/bin/true", "not built with leno-cc"),
    ];
    for (program, expected) in cases {
        let error = error(here, &["check", "--format", "json", program]);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(expected), "{program}: {message}");
        let ran = leno(here, &["check", program]);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(2), ""));
        assert!(ran.stderr.starts_with("leno: error: "), "{}", ran.stderr);
    }
    assert!(!here.join("leno.out").exists(), "nothing is written for a check that never was");
}

#[test]
fn wrong_usage_is_an_error_in_json_too() {
    let directory = scratch();
    let here = directory.path();
    assert_eq!(error(here, &["check", "--format", "json", "--frobnicate", "x"])["kind"], "usage");
    assert_eq!(error(here, &["check", "--format=json"])["kind"], "usage");
    let unbuilt = error(here, &["check", "--format", "json", "--stateful", "on", "x"]);
    assert_eq!(unbuilt["kind"], "not_built");
    assert_eq!(leno(here, &["check", "--frobnicate", "x"]).status, Some(2));
    assert_eq!(leno(here, &["--version"]).status, Some(0));
    assert_eq!(leno(here, &["check", "--help"]).status, Some(0));
}

#[test]
fn a_race_is_explained_saved_replayed_and_reported() {
    let directory = scratch();
    let here = directory.path();
    build("race/plain.c", here);
    let ran = leno(here, &["check", "./program"]);
    assert_eq!(ran.status, Some(1), "{}{}", ran.stdout, ran.stderr);
    for part in ["data race on x", "program.c:11", "x = x + 1;", "in work", "T1", "T2", "replay"] {
        assert!(ran.stdout.contains(part), "{part} is missing in:\n{}", ran.stdout);
    }
    let trace = here.join("leno.out/race-1.json");
    assert!(trace.exists());
    let replayed = leno(here, &["replay", "leno.out/race-1.json"]);
    assert_eq!(replayed.status, Some(1), "{}{}", replayed.stdout, replayed.stderr);
    for part in ["main", "T1 (work)", "T2 (work)", "write x = 1", "create T1"] {
        assert!(replayed.stdout.contains(part), "{part} is missing in:\n{}", replayed.stdout);
    }
    let json = leno(here, &["replay", "--format", "json", "leno.out/race-1.json"]).json().unwrap();
    assert_eq!(json["reproduced"], true);
    let reported = leno(here, &["report", "leno.out"]);
    assert_eq!(reported.status, Some(0), "{}", reported.stderr);
    assert!(reported.stdout.contains("data race on x"));
}

#[test]
fn a_trace_of_another_build_is_refused() {
    let directory = scratch();
    let here = directory.path();
    build("race/plain.c", here);
    assert_eq!(leno(here, &["check", "./program"]).status, Some(1));
    build("race/field.c", here);
    let ran = leno(here, &["replay", "leno.out/race-1.json"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("since the trace was made"), "{}", ran.stderr);
    fs::remove_file(here.join("program")).unwrap();
    let ran = leno(here, &["replay", "leno.out/race-1.json"]);
    assert!(ran.status == Some(2) && ran.stderr.contains("is gone"), "{}", ran.stderr);
    // What happened can be told without the program, in the words of its source then.
    let ran = leno(here, &["report", "leno.out"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    for part in ["data race on x", "program.c:11", "x = x + 1;", "T1 (work)", "write x = 1"] {
        assert!(ran.stdout.contains(part), "{part} is missing in:\n{}", ran.stdout);
    }
    fs::write(here.join("foreign.json"), "{\"schema\": 99}").unwrap();
    let ran = leno(here, &["replay", "foreign.json"]);
    assert!(ran.status == Some(2) && ran.stderr.contains("schema is 99"), "{}", ran.stderr);
}

#[test]
fn a_trace_of_a_program_with_another_constant_is_refused() {
    let directory = scratch();
    let make = |value: &str| {
        let text = format!(
            "#include <pthread.h>\nint x = {value};\n\
             void *f(void *p) {{ x = x + 1; return p; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); x = 2; \
             return pthread_join(t, 0); }}\n"
        );
        let source = directory.path().join("constant.c");
        fs::write(&source, text).expect("there is room for a program");
        compile::<&str>(&source, &[], &directory.path().join("constant")).expect("it compiles");
    };
    make("1");
    assert_eq!(leno(directory.path(), &["check", "./constant"]).status, Some(1));
    make("7");
    let refused = leno(directory.path(), &["replay", "leno.out/race-1.json"]);
    assert_eq!(refused.status, Some(2), "{}", refused.stdout);
    assert!(refused.stderr.contains("has changed"), "{}", refused.stderr);
}

#[test]
fn traces_of_an_earlier_check_are_replaced_and_other_files_are_not() {
    let directory = scratch();
    let here = directory.path();
    build("race/plain.c", here);
    fs::create_dir(here.join("out")).unwrap();
    fs::write(here.join("out/deadlock-7.json"), "{}").unwrap();
    fs::write(here.join("out/notes.txt"), "mine").unwrap();
    assert_eq!(leno(here, &["check", "--output", "out", "./program"]).status, Some(1));
    assert!(here.join("out/race-1.json").exists() && here.join("out/notes.txt").exists());
    assert!(!here.join("out/deadlock-7.json").exists());
}

#[test]
fn limits_make_the_verdict_unknown() {
    let directory = scratch();
    let here = directory.path();
    build("counts/lock-counter.c", here);
    let few = ["--symmetry", "off", "--max-executions", "2"];
    let args = [&["check", "--format", "json"][..], &few, &["./program"]].concat();
    let ran = leno(here, &args);
    let report = ran.json().unwrap();
    assert_eq!(ran.status, Some(3));
    assert_eq!(report["verdict"], "unknown");
    assert_eq!(report["coverage"], "bounded");
    assert_eq!(report["executions"], 2);
}

#[test]
fn the_json_report_has_all_its_fields() {
    let directory = scratch();
    let here = directory.path();
    build("race/plain.c", here);
    let report = leno(here, &["check", "--format", "json", "./program"]).json().unwrap();
    let fields = "schema version verdict coverage memory_model properties options executions \
                  blocked blocked_by pruned symmetry events max_depth threads seconds \
                  executions_per_second processor_seconds estimate unseen bugs notes";
    for field in fields.split_ascii_whitespace() {
        assert!(report.get(field).is_some(), "{field} is missing");
    }
    let bug = &report["bugs"][0];
    assert_eq!(bug["kind"], "race");
    let access = &bug["accesses"][0];
    for field in ["thread", "file", "line", "function", "op"] {
        assert!(!access[field].is_null(), "{field} is missing");
    }
    assert!(Path::new(bug["trace"].as_str().unwrap()).is_absolute());
}

#[test]
fn the_programs_output_is_kept_apart() {
    let directory = scratch();
    let here = directory.path();
    build("safe/output.c", here);
    let quiet = leno(here, &["check", "--format", "json", "./program", "2", "words"]);
    assert!(quiet.json().is_ok() && !quiet.stderr.contains("hello"), "{}", quiet.stderr);
    let args = ["check", "--format", "json", "--show-output", "./program", "2", "words"];
    let shown = leno(here, &args);
    assert!(shown.json().is_ok(), "stdout is the report's");
    assert!(shown.stderr.contains("hello from a") && shown.stderr.contains("done"));
}

#[test]
fn an_instrumented_program_runs_without_leno() {
    let directory = scratch();
    build("safe/output.c", directory.path());
    let output = std::process::Command::new(directory.path().join("program"))
        .args(["2", "words"])
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("hello from b"));
}

#[test]
fn every_execution_reads_the_same_input() {
    let directory = scratch();
    let here = directory.path();
    build("restart/input.c", here);
    fs::write(here.join("seven"), "7\n").unwrap();
    for mode in [&[][..], &["--isolate"]] {
        let check = |options: &[&str]| {
            let fixed = ["check", "--format", "json", "--symmetry", "off"];
            Command::new(tool("leno"))
                .args([&fixed, mode, options, &["./program"]].concat())
                .current_dir(here)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("leno can be run")
        };
        // Both run at once, so each has an output directory of its own.
        let mut piped = check(&["--output", "piped.out"]);
        piped.stdin.take().unwrap().write_all(b"7\n").unwrap();
        for child in [piped, check(&["--input", "seven"])] {
            let output = child.wait_with_output().unwrap();
            let json: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(
                (&json["verdict"], &json["executions"]),
                (&"safe".into(), &2.into()),
                "{json}"
            );
        }
        let mut empty = check(&[]);
        drop(empty.stdin.take());
        let json: Value =
            serde_json::from_slice(&empty.wait_with_output().unwrap().stdout).unwrap();
        assert_eq!(json["bugs"][0]["kind"], "assert", "{json}");
    }
}

#[test]
fn a_check_leaves_the_files_as_they_were() {
    let directory = scratch();
    let here = directory.path();
    fs::write(here.join("old"), "text").unwrap();
    fs::write(here.join("gone"), "text").unwrap();
    let state = || {
        let entries = fs::read_dir(here).unwrap().map(|entry| entry.unwrap());
        let mut state: Vec<_> = entries
            .map(|entry| {
                let data = entry.metadata().unwrap();
                let time = data.is_file().then(|| data.modified().unwrap());
                (entry.file_name(), data.permissions(), time)
            })
            .collect();
        state.sort_by(|a, b| a.0.cmp(&b.0));
        (state, fs::read(here.join("old")).unwrap(), fs::read(here.join("gone")).unwrap())
    };
    for flags in [&["-DENDLESS"][..], &["-DCRASH"], &[]] {
        let source = root().join("tests/programs/vandal.c");
        compile(&source, flags, &here.join("program")).expect("it compiles");
        fs::create_dir_all(here.join("leno.out")).unwrap();
        let before = state();
        for mode in [&[][..], &["--isolate"]] {
            let options = ["check", "--timeout", "1s", "--format", "json"];
            let ran = leno(here, &[&options, mode, &["./program"]].concat());
            let json = ran.json().unwrap();
            assert!(json["error"].is_null(), "{json}");
            assert_eq!(state(), before, "{flags:?} {mode:?} {json}");
        }
    }
}
