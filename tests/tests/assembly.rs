//! Inline assembly is translated: what is translated must do what the processor does.

use leno_tests::{compile, leno, root, scratch};
use std::process::Command;

fn output(program: &std::path::Path) -> String {
    let ran = Command::new(program).output().unwrap();
    assert!(ran.status.success());
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn translated_assembly_does_what_the_processor_does() {
    let source = root().join("testsuite/assembly/instructions.c");
    let directory = scratch();
    let native = directory.path().join("native");
    let status = Command::new("clang-22").arg("-O1").arg(&source).arg("-o").arg(&native).status();
    assert!(status.unwrap().success());
    let expected = output(&native);
    assert!(expected.lines().count() > 40_000);
    for level in ["-O0", "-O2"] {
        let program = directory.path().join("program");
        compile(&source, &[level], &program).unwrap();
        assert!(output(&program) == expected, "without leno, {level}");
        let checked = leno(directory.path(), &["check", "--show-output", "--", "./program"]);
        assert_eq!(checked.status, Some(0), "{}", checked.stdout);
        assert!(checked.stderr == expected, "under leno, {level}");
    }
}
