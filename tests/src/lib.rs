//! End-to-end tests: the tools as a user has them, on the programs of `testsuite/`.

pub mod expectation;
pub mod generator;
pub mod supported;
pub mod threads;

use serde_json::Value;
use std::{
    env,
    ffi::OsStr,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// The project's root.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.canonicalize().expect("the tests are inside the project")
}

/// A built tool. `make build` puts them into target/release; LENO_TOOLS names another
/// directory, such as an installation's.
pub fn tool(name: &str) -> PathBuf {
    let directory = env::var_os("LENO_TOOLS").map(PathBuf::from);
    let tool = directory.unwrap_or_else(|| root().join("target/release")).join(name);
    assert!(tool.exists(), "{} is missing: run `make build` first", tool.display());
    tool
}

/// Builds a program with leno-cc; the compiler's complaints where it does not build.
pub fn compile<S: AsRef<OsStr>>(source: &Path, flags: &[S], program: &Path) -> Result<(), String> {
    let cxx = source.extension().is_some_and(|extension| extension == "cpp");
    let (compiler, standard) =
        if cxx { ("leno-c++", "-std=gnu++17") } else { ("leno-cc", "-std=gnu11") };
    let output = Command::new(tool(compiler))
        .args([standard, "-pthread", "-g"])
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(program)
        .output()
        .expect("leno-cc can be run");
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// What `leno` did.
pub struct Ran {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// The one JSON object on stdout.
    pub fn json(&self) -> Result<Value, String> {
        serde_json::from_str(&self.stdout).map_err(|error| {
            format!("stdout is no JSON ({error}):\n{}\nstderr:\n{}", self.stdout, self.stderr)
        })
    }
}

/// Runs leno in `directory`.
pub fn leno<S: AsRef<OsStr>>(directory: &Path, args: &[S]) -> Ran {
    leno_of(&tool("leno"), directory, args)
}

/// Runs a leno that lies beside another runtime.
pub fn leno_of<S: AsRef<OsStr>>(leno: &Path, directory: &Path, args: &[S]) -> Ran {
    let mut command = Command::new(leno);
    command.args(args).current_dir(directory).env("NO_COLOR", "1");
    // A copy that was just written is busy while the child of another thread, on its way to its
    // own program, still has the descriptor by which it was.
    let output: Output = loop {
        match command.output() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::yield_now(),
            output => break output.expect("leno can be run"),
        }
    };
    Ran {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// All programs of `testsuite/`, in order; those of `projects` are not built by themselves.
pub fn programs() -> Vec<PathBuf> {
    let mut programs = Vec::new();
    find(&root().join("testsuite"), &mut programs);
    programs.sort();
    programs
}

/// Those of the programs whose path has `LENO_ONLY` in it: all, unless somebody says so.
pub fn wanted_programs() -> Vec<PathBuf> {
    let wanted = std::env::var("LENO_ONLY").unwrap_or_default();
    let mut programs = programs();
    programs.retain(|program| program.to_string_lossy().contains(&wanted));
    programs
}

/// The option that ends a check when its time is up.
pub const TIME_LIMIT: &str = "--timeout";

/// A time limit for these options, unless they have one: a program that does not end does.
pub fn within<'a>(time: &'a str, options: &[impl AsRef<str>]) -> Vec<&'a str> {
    let has = options.iter().any(|option| option.as_ref() == TIME_LIMIT);
    if has { vec![] } else { vec![TIME_LIMIT, time] }
}

fn find(directory: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("testsuite/ can be read") {
        let path = entry.expect("testsuite/ can be read").path();
        if path.is_dir() {
            if !path.ends_with("testsuite/projects") {
                find(&path, into);
            }
        } else if path.extension().is_some_and(|extension| extension == "c" || extension == "cpp") {
            into.push(path);
        }
    }
}

/// Does something with every item, on all cores; gives what it says, sorted.
pub fn on_all_cores<T: Sync>(items: &[T], work: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let (next, report) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let said = work(item);
                    report.lock().expect("no thread panics").extend(said);
                }
            });
        }
    });
    let mut report = report.into_inner().expect("no thread panics");
    report.sort();
    report
}

/// A directory that goes away with its value.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is room for temporary files")
}
