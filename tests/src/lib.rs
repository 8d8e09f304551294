//! End-to-end tests: the tools as a user has them, on the programs of `testsuite/`.

pub mod expectation;
pub mod generator;

use serde_json::Value;
use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Output},
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
    let output = Command::new(tool("leno-cc"))
        .args(["-std=gnu11", "-pthread", "-g"])
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
    let output: Output = Command::new(tool("leno"))
        .args(args)
        .current_dir(directory)
        .env("NO_COLOR", "1")
        .output()
        .expect("leno can be run");
    Ran {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A directory that goes away with its value.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is room for temporary files")
}
