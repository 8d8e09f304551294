//! What a search keeps does not grow with the number of its executions.

use leno_tests::{compile, leno, root, scratch};

/// Executions, and the most memory that the program with the search in it has had, in bytes.
fn of_fib(times: u32) -> (u64, u64) {
    let directory = scratch();
    let flags = [format!("-DTIMES={times}"), "-O2".to_owned()];
    let program = directory.path().join("program");
    compile(&root().join("testsuite/bench/fib.c"), &flags, &program).unwrap();
    let args = ["check", "--format", "json", "--symmetry", "off", "./program"];
    let report = leno(directory.path(), &args).json().expect("a report");
    let number = |field: &str| report[field].as_u64().expect("a number");
    assert_eq!((&report["verdict"], number("blocked")), (&"safe".into(), 0));
    (number("executions"), number("peak_memory"))
}

#[test]
fn five_hundred_times_as_many_executions_take_no_more_memory() {
    let ((few, small), (many, large)) = (of_fib(4), of_fib(7));
    assert_eq!((few, many), (1_107, 616_227));
    assert!(large * 10 <= small * 12, "{small} bytes for {few}, {large} for {many} executions");
}
