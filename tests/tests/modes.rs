//! Restart in place and private memory change what a check costs, not what it explores:
//! in place and isolated give the same events, and whether private accesses are recorded
//! or not, the same executions and bugs. Symmetry changes the executions, but neither the
//! verdict nor the bugs.
//!
//! On the programs of `testsuite/` and on generated ones: `LENO_FUZZ_MODES` is the number
//! of the latter (20), `LENO_SEED` the first seed (1), `LENO_ONLY` a part of the paths of the
//! former.

use leno_tests::{
    TIME_LIMIT, compile, expectation, generator::generate, leno, on_all_cores, scratch,
    wanted_programs, within,
};
use serde_json::Value;
use std::{collections::BTreeSet, env, fs, path::Path};

#[test]
fn all_modes_explore_the_same_of_the_testsuite() {
    let report = on_all_cores(&wanted_programs(), |source| {
        let expectations = expectation::read(source).expect("the expectations can be read");
        // One of them: what the options change is not the matter here.
        let first = &expectations[0];
        let options: Vec<&str> = first.options.iter().map(String::as_str).collect();
        let difference = differ(source, &first.cflags, &options, &first.args);
        difference.map(|how| format!("{}: {how}", source.display())).into_iter().collect()
    });
    assert!(report.is_empty(), "\n\n{}\n", report.join("\n"));
}

#[test]
fn all_modes_explore_the_same_of_generated_programs() {
    let number = |name: &str, default| {
        env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let (first, count) = (number("LENO_SEED", 1), number("LENO_FUZZ_MODES", 20));
    let seeds: Vec<u64> = (first..first + count).collect();
    let report = on_all_cores(&seeds, |seed| {
        let directory = scratch();
        let source = directory.path().join("program.c");
        fs::write(&source, generate(*seed).to_c()).expect("there is room for a program");
        let flags = ["-Wno-unused".to_string()];
        let difference = differ(&source, &flags, &["--max-executions", "2000"], &[]);
        difference.map(|how| format!("seed {seed}: {how}")).into_iter().collect()
    });
    assert!(report.is_empty(), "\n\n{}\n", report.join("\n"));
}

#[test]
fn symmetry_changes_no_verdict() {
    let report = on_all_cores(&wanted_programs(), |source| {
        let expectations = expectation::read(source).expect("the expectations can be read");
        let is_symmetry = |option: &String| option == "--symmetry";
        let Some(first) = expectations.iter().find(|one| can_be_cut(&one.options)) else {
            return vec![];
        };
        let mut options = first.options.clone();
        while let Some(at) = options.iter().position(is_symmetry) {
            options.drain(at..at + 2);
        }
        let directory = scratch();
        if let Err(error) = compile(source, &first.cflags, &directory.path().join("program")) {
            return vec![format!("{}: it does not compile:\n{error}", source.display())];
        }
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let found = |mode: &[&str]| {
            let mut all = [&CHECK[..], &within("100s", &options), mode, &options].concat();
            all.extend(["--", "./program"]);
            all.extend(first.args.iter().map(String::as_str));
            let json = leno(directory.path(), &all).json()?;
            let bugs: BTreeSet<_> =
                json["bugs"].as_array().into_iter().flatten().map(place).collect();
            Ok::<_, String>((json["verdict"].clone(), bugs))
        };
        let modes: [&[&str]; 4] = [
            &["--symmetry", "off"],
            &["--symmetry", "on"],
            &["--symmetry", "off", "--isolate"],
            &["--symmetry", "on", "--isolate"],
        ];
        let all = modes.map(found);
        let same = all.iter().all(|one| one.is_ok() && *one == all[0]);
        if same { vec![] } else { vec![format!("{}: {all:?}", source.display())] }
    });
    assert!(report.is_empty(), "\n\n{}\n", report.join("\n"));
}

/// Whether these options leave it to symmetry what is explored: not another search, and no
/// limit that makes a difference of where it begins.
fn can_be_cut(options: &[String]) -> bool {
    let others = ["--search", "--max-executions", "--explain-symmetry"];
    !options.iter().any(|option| others.contains(&option.as_str()))
}

/// How every check begins.
const CHECK: [&str; 4] = ["check", "--format", "json", "--keep-going"];

/// What a bug is and where, whoever's it is.
fn place(bug: &Value) -> (String, BTreeSet<String>) {
    let accesses = bug["accesses"].as_array().into_iter().flatten();
    let lines = accesses.map(|access| format!("{}:{}", access["file"], access["line"]));
    (bug["kind"].to_string(), lines.collect())
}

/// What a program says in which a loop that waits writes to variables of its own. Where all
/// accesses are recorded these writes are events, and the loop is none that does nothing: it
/// is unrolled instead of waited for.
const WAITS_WRITE: &str = "--record-all: waits write";

/// What a program calls in which a handler interrupts a thread, before any of its events. Where
/// all accesses are recorded there are more events, and so more moments: the same bugs in more
/// executions.
const INTERRUPTS: &str = "pthread_kill(";

/// How two modes differ on a program, if they do.
fn differ(source: &Path, cflags: &[String], options: &[&str], args: &[String]) -> Option<String> {
    let directory = scratch();
    if let Err(error) = compile(source, cflags, &directory.path().join("program")) {
        return Some(format!("it does not compile:\n{error}"));
    }
    // The same executions: where threads are found symmetric, and so which are cut, is decided
    // by what is recorded. That the bugs are the same all the same is another test.
    let traces: &[&str] = match options.contains(&"--symmetry") {
        true => &[],
        false => &["--symmetry", "off"],
    };
    let check = |mode: &[&str]| {
        let limits = within("100s", options);
        let mut all = [&CHECK[..], &limits, traces, mode, options, &["--", "./program"]].concat();
        all.extend(args.iter().map(String::as_str));
        leno(directory.path(), &all).json()
    };
    let explored = |json: &Value| {
        let bugs = json["bugs"].as_array().cloned().unwrap_or_default();
        let bugs: Vec<_> = bugs.iter().map(|b| (b["kind"].clone(), b["message"].clone())).collect();
        (json["verdict"].clone(), json["executions"].clone(), bugs)
    };
    // With source sets, whether an execution is cut by a sleep set may depend on which of
    // several threads is tried first, and that on where there are events at all.
    // And where time ends a check, the machine has a say in how many there were.
    let events = |json: &Value| {
        let events = (json["events"].clone(), json["digest"].clone(), json["blocked"].clone());
        (!options.contains(&TIME_LIMIT)).then_some(events)
    };
    let run = || -> Result<Option<String>, String> {
        let (place, isolated) = (check(&[])?, check(&["--isolate"])?);
        if fs::read_to_string(source).is_ok_and(|text| text.contains(WAITS_WRITE)) {
            let same =
                explored(&place) == explored(&isolated) && events(&place) == events(&isolated);
            let text = [&place, &isolated].map(|j| format!("{:?} {:?}", explored(j), events(j)));
            return Ok((!same).then(|| text.join("\n    ")));
        }
        let (all, all_isolated) =
            (check(&["--record-all"])?, check(&["--record-all", "--isolate"])?);
        let all_of = [&place, &isolated, &all, &all_isolated];
        let interrupts = fs::read_to_string(source).is_ok_and(|text| text.contains(INTERRUPTS));
        let found = |json: &Value| {
            let (verdict, executions, bugs) = explored(json);
            (verdict, (!interrupts).then_some(executions), bugs)
        };
        let same = all_of.iter().all(|json| found(json) == found(&place))
            && explored(&place) == explored(&isolated)
            && explored(&all) == explored(&all_isolated)
            && events(&place) == events(&isolated)
            && events(&all) == events(&all_isolated);
        let text = all_of.map(|json| format!("{:?} {:?}", explored(json), events(json)));
        Ok((!same).then(|| text.join("\n    ")))
    };
    run().unwrap_or_else(Some)
}
