//! Where the kernel refuses to switch off the randomisation of addresses, as in many
//! containers, a check, its trace and a replay in yet another layout mean the same: names
//! make up for it.

use leno_tests::{compile, root, scratch, tool};
use std::{
    path::Path,
    process::{Command, Output},
};

fn confined(directory: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(directory.join("confine"));
    command.arg(tool("leno")).args(args).current_dir(directory).env("NO_COLOR", "1");
    command.output().expect("it can be run")
}

#[test]
fn addresses_may_differ_from_run_to_run() {
    let directory = scratch();
    let here = directory.path();
    let built = Command::new("cc")
        .arg(root().join("tests/programs/confine.c"))
        .arg("-o")
        .arg(here.join("confine"))
        .status();
    assert!(built.expect("there is a C compiler").success());
    let program = here.join("program");
    for source in ["assertion/lost-update.c", "race/heap.c", "deadlock/ab-ba.c"] {
        compile(&root().join("testsuite").join(source), &["-O0"], &program).unwrap();
        let check = confined(here, &["check", "--format", "json", "./program"]);
        let text = String::from_utf8_lossy(&check.stdout).into_owned();
        assert_eq!(check.status.code(), Some(1), "{source}: {text}");
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let trace = report["bugs"][0]["trace"].as_str().expect("a trace").to_owned();
        // Each time at other addresses.
        for _ in 0..4 {
            let replay = confined(here, &["replay", &trace]);
            let said = String::from_utf8_lossy(&replay.stderr).into_owned();
            assert_eq!(replay.status.code(), Some(1), "{source}: {said}");
        }
    }
    compile(&root().join("testsuite/counts/lock-counter.c"), &["-DN=4"], &program).unwrap();
    for mode in [&[][..], &["--isolate"]] {
        let all = ["check", "--format", "json", "--symmetry", "off"];
        let args = [&all, mode, &["./program"]].concat();
        let check = confined(here, &args);
        let report: serde_json::Value = serde_json::from_slice(&check.stdout).unwrap();
        assert_eq!(report["verdict"], "safe", "{report}");
        assert_eq!(report["executions"], 24, "{report}");
    }
}
