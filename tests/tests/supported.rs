//! docs/supported.md says what leno does with each function of the thread headers. It
//! must have all that the installed headers declare, and say what is true.

use leno_tests::{root, supported::table, tool};
use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    process::{Command, Stdio},
};

const HEADERS: [&str; 3] = ["pthread.h", "semaphore.h", "threads.h"];

/// The output of a command that gets this as its input.
fn output(command: &mut Command, input: &str) -> String {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = piped.spawn().expect("it can be run");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(input.as_bytes()).expect("it reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text")
}

/// The functions that a header declares itself, and not one that it includes.
fn declared(header: &str) -> BTreeSet<String> {
    let source = format!("#define _GNU_SOURCE\n#include <{header}>\n");
    let text = output(Command::new(tool("leno-cc")).args(["-E", "-x", "c", "-"]), &source);
    let mut inside = false;
    let mut own = String::new();
    for line in text.lines() {
        if let Some(marker) = line.strip_prefix("# ") {
            inside = marker.split('"').nth(1).is_some_and(|f| f.ends_with(&format!("/{header}")));
        } else if inside {
            own.push_str(line);
            own.push(' ');
        }
    }
    // What stands before a parenthesis, in the words of these headers.
    let prefixes = ["pthread_", "__pthread_", "sem_", "thrd_", "mtx_", "cnd_", "tss_", "call_"];
    let before = own.split('(').filter_map(|part| part.split_whitespace().last());
    let is_name = |word: &&str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let names = before.map(|word| word.trim_start_matches('*')).filter(is_name);
    names.filter(|name| prefixes.iter().any(|p| name.starts_with(p))).map(str::to_owned).collect()
}

/// What the runtime defines for the program.
fn exported() -> BTreeSet<String> {
    let library = tool("libleno_rt.so");
    let symbols = output(Command::new("nm").args(["-D", "--defined-only"]).arg(library), "");
    symbols.lines().filter_map(|line| line.split_whitespace().last()).map(str::to_owned).collect()
}

/// The names that a file of the runtime gives to its macro.
fn listed(file: &str, name: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("rt/src/interpose").join(file)).expect("it is there");
    let (_, list) = text.rsplit_once(&format!("\n{name}! {{")).expect("the macro is used");
    let (list, _) = list.split_once('}').expect("the list ends");
    list.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn every_function_of_the_thread_headers_is_listed() {
    let table = table();
    for header in HEADERS {
        let declared = declared(header);
        assert!(declared.len() > 5, "{header} has functions");
        for function in &declared {
            let (listed, _) =
                table.get(function).unwrap_or_else(|| panic!("{function} is missing"));
            assert_eq!(listed, header, "{function}");
        }
        let extra: Vec<_> = table
            .iter()
            .filter(|(function, (of, _))| of == header && !declared.contains(*function))
            .collect();
        assert!(extra.is_empty(), "not in {header}: {extra:?}");
    }
}

#[test]
fn what_the_table_says_is_what_the_runtime_does() {
    let (exported, refused) = (exported(), listed("refused.rs", "refused"));
    let passed_on = listed("passed_on.rs", "passed_on");
    for (function, (_, how)) in table() {
        let done = if refused.contains(&function) {
            "refused"
        } else if passed_on.contains(&function) || !exported.contains(&function) {
            "passed on"
        } else {
            "modelled"
        };
        assert_eq!(how, done, "{function}");
    }
}

/// What a program enters the runtime by changes stacks, so that nothing is left on the program's
/// (`rt/src/stacks.rs`): all but what is called before `main` or never.
#[test]
fn every_function_that_the_runtime_offers_is_entered_by_a_thunk() {
    const OTHERS: [&str; 3] = ["__libc_start_main", "__leno_register", "__leno_no_unwinding"];
    let source = root().join("rt/src");
    for directory in [source.clone(), source.join("interpose")] {
        for file in fs::read_dir(directory).expect("there are sources") {
            let path = file.expect("it can be listed").path();
            let text = if path.is_file() { fs::read_to_string(&path).unwrap() } else { continue };
            for function in text.split("#[unsafe(no_mangle)]").skip(1) {
                let name = function.split_once("fn ").map_or("", |(_, rest)| rest);
                let name = name.split_once('(').map_or("", |(name, _)| name);
                let declared = function.lines().find(|line| line.starts_with("pub ")).unwrap_or("");
                let is_variable = declared.starts_with("pub static");
                // One in assembly that uses no stack goes on to a thunk, or back.
                let body = function.split("\n}\n").next().unwrap_or("");
                let uses_stack = ["push", "call", "rsp"].iter().any(|word| body.contains(word));
                let is_bare = body.contains("naked_asm!(") && !uses_stack;
                let known = is_variable || is_bare || OTHERS.contains(&name);
                assert!(known, "{name} in {} wants #[entry]", path.display());
            }
        }
    }
}
