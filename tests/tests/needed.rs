//! Every function that docs/supported.md calls modelled is used by a program of `testsuite/`
//! in a correct version, and by one in a wrong version whose bug is not found, or is taken
//! for another, if the function is not modelled.
//!
//! The latter is tried: the runtime is copied without the function's name among those that
//! it offers, so that the program's calls go to libc, as if nobody had written the model.

use leno_tests::{
    compile,
    expectation::{self, Expectation},
    leno_of, on_all_cores, programs, root, scratch, supported, tool, within,
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

/// What libc would answer just as well, and why; or what no program that is built with these
/// headers calls by its name. For these a correct program is enough, or nothing.
const NOTHING_TO_MISS: [(&str, &str); 12] = [
    ("pthread_equal", "compares two numbers; modelled for symmetry"),
    ("thrd_equal", "compares two numbers; modelled for symmetry"),
    ("pthread_self", "a thread's handle is where its control block is; modelled for symmetry"),
    ("thrd_current", "as pthread_self"),
    ("sched_yield", "a hint: the kernel's does nothing either"),
    ("thrd_yield", "a hint: the kernel's does nothing either"),
    ("pthread_getcpuclockid", "all clocks are one for clock_gettime, whatever their numbers"),
    ("pthread_setaffinity_np", "libc sets it for the process, and later executions inherit it"),
    ("pthread_setcanceltype", "the other type is refused, which is no bug of the program"),
    ("pthread_mutex_consistent", "the mutex's own word says so, and libc writes it too"),
    ("pthread_yield", "the header calls sched_yield instead"),
    ("pthread_mutex_consistent_np", "the header calls pthread_mutex_consistent instead"),
];

fn number(bytes: &[u8], at: usize, size: usize) -> usize {
    bytes[at..at + size].iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte))
}

/// Takes a name out of the dynamic symbols of a library. Who looks it up finds an entry by
/// the hash of the name, but under another name, and goes on to the next library.
fn withhold(library: &mut [u8], function: &str) {
    let (headers, size) = (number(library, 0x28, 8), number(library, 0x3a, 2));
    let count = number(library, 0x3c, 2);
    let header = |number: usize| headers + number * size;
    let is_dynsym = |at: &usize| number(library, at + 4, 4) == 11;
    let symbols = (0..count).map(header).find(is_dynsym).expect("it has dynamic symbols");
    let names = number(library, header(number(library, symbols + 0x28, 4)) + 0x18, 8);
    let (start, len) = (number(library, symbols + 0x18, 8), number(library, symbols + 0x20, 8));
    let wanted = [function.as_bytes(), b"\0"].concat();
    let has_name = |at: &usize| library[names + number(library, *at, 4)..].starts_with(&wanted);
    let symbol = (start..start + len).step_by(24).find(has_name).expect("the runtime has it");
    library[symbol..symbol + 4].fill(0);
}

/// One line of a program of `testsuite/`.
struct Case {
    source: PathBuf,
    text: String,
    expectation: Expectation,
    /// Once somebody wanted it: the built program and the functions that it imports.
    built: Mutex<Option<(PathBuf, Vec<String>)>>,
}

impl Case {
    fn is(&self, verdict: &str) -> bool {
        self.expectation.fields.iter().any(|f| f.name == "verdict" && f.value == verdict)
    }

    /// The program, if it calls the function: its text may have it for other lines only.
    fn calling(&self, function: &str, directory: &Path) -> Option<PathBuf> {
        let mut built = self.built.lock().expect("no thread panics");
        let (program, imports) = built.get_or_insert_with(|| {
            let program = tempfile::NamedTempFile::new_in(directory).and_then(|f| Ok(f.keep()?.1));
            let program = program.expect("there is room for a program");
            fs::remove_file(&program).expect("it was just made");
            compile(&self.source, &self.expectation.cflags, &program).expect("it compiles");
            let symbols =
                Command::new("nm").args(["-D", "--undefined-only"]).arg(&program).output();
            let symbols =
                String::from_utf8(symbols.expect("binutils has nm").stdout).expect("text");
            let last = |line: &str| line.split_whitespace().last().unwrap_or("").to_string();
            let plain = |name: String| name.split('@').next().unwrap_or("").to_string();
            (program, symbols.lines().map(last).map(plain).collect())
        });
        imports.iter().any(|import| import == function).then(|| program.clone())
    }

    /// Whether leno finds the bug that the line promises; how often it has to look is not asked.
    fn is_found(&self, program: &Path, leno: &Path) -> bool {
        let directory = scratch();
        let options = &self.expectation.options;
        let fixed = ["check", "--format", "json", "--patience", "1s"];
        let fixed = fixed.into_iter().chain(within("5s", options));
        let mut args: Vec<String> = fixed.map(str::to_string).collect();
        args.extend(options.iter().cloned());
        args.extend(["--".to_string(), program.display().to_string()]);
        args.extend(self.expectation.args.iter().cloned());
        let Ok(report) = leno_of(leno, directory.path(), &args).json() else { return false };
        let mut promised = self.expectation.clone();
        promised.fields.retain(|f| matches!(&*f.name, "verdict" | "kind" | "object" | "message"));
        promised.differences(&report).is_empty()
    }
}

/// Whether a program has the word, in its text or in how it is built.
fn names(case: &Case, function: &str) -> bool {
    let text = &format!("{} {}", case.text, case.expectation.cflags.join(" "));
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(function).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + function.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[test]
fn a_bug_is_missed_without_the_model_of_each_function() {
    let read = |source: PathBuf| {
        let text = fs::read_to_string(&source).expect("it can be read");
        let expectations = expectation::read(&source).expect("it has expectations");
        let case = |expectation| Case {
            source: source.clone(),
            text: text.clone(),
            expectation,
            built: Mutex::new(None),
        };
        expectations.into_iter().map(case).collect::<Vec<_>>()
    };
    let in_c = |source: &PathBuf| source.extension().is_some_and(|extension| extension == "c");
    let mut cases: Vec<Case> = programs().into_iter().filter(in_c).flat_map(read).collect();
    // What is about a function is mostly short.
    cases.sort_by_key(|case| case.text.len());
    let wanted = std::env::var("LENO_ONLY").unwrap_or_default();
    let modelled: BTreeMap<_, _> = supported::table()
        .into_iter()
        .filter(|(function, (_, how))| how == "modelled" && function.contains(&wanted))
        .collect();
    let runtime = fs::read(tool("libleno_rt.so")).expect("it can be read");
    let built = scratch();
    let functions: Vec<&String> = modelled.keys().collect();
    let report = on_all_cores(&functions, |function| {
        let using: Vec<&Case> = cases.iter().filter(|case| names(case, function)).collect();
        // Where what a function does is not tried at all moments, nobody can say `safe`.
        let nothing_found = |case: &&&Case| case.is("safe") || case.is("unknown");
        let correct = using
            .iter()
            .filter(nothing_found)
            .any(|case| case.calling(function, built.path()).is_some());
        let mut report = Vec::new();
        let nothing_to_miss = NOTHING_TO_MISS.iter().find(|(name, _)| name == function);
        let is_alias = nothing_to_miss.is_some_and(|(_, why)| why.starts_with("the header calls"));
        if !correct && !is_alias {
            report.push(format!("{function}: no correct program"));
        }
        if nothing_to_miss.is_some() {
            return report;
        }
        let tools = scratch();
        let leno = tools.path().join("leno");
        fs::copy(tool("leno"), &leno).expect("there is room for it");
        let mut without = runtime.clone();
        withhold(&mut without, function);
        fs::write(tools.path().join("libleno_rt.so"), without).expect("there is room for it");
        let wrong = using.iter().filter(|case| case.is("bug"));
        let wrong = wrong.filter_map(|case| Some((case, case.calling(function, built.path())?)));
        let mut tried = Vec::new();
        for (case, program) in wrong {
            if !case.is_found(&program, &leno) {
                return report;
            }
            let name = case.source.strip_prefix(root().join("testsuite")).unwrap_or(&case.source);
            tried.push(format!("{} {}", name.display(), case.expectation.cflags.join(" ")));
        }
        report.push(format!("{function}: needed by no wrong program (of: {})", tried.join(", ")));
        report
    });
    assert!(report.is_empty(), "\n\n{}\n", report.join("\n"));
}
