//! All that can be at fault other than the checked program, and the exit statuses.
//!
//! A message names the file it is about and, where there is one, the way out.

use crate::{human, tables, words};
use leno_model::wire::Counts;
use std::{fmt, io, path::PathBuf};

/// No bug, and every interleaving that matters was run.
pub const EXIT_SAFE: u8 = 0;
/// A bug was found; for `replay`, it showed again.
pub const EXIT_BUG: u8 = 1;
/// The tool or its input is at fault.
pub const EXIT_FAULT: u8 = 2;
/// No bug was found, but not everything was run or seen.
pub const EXIT_UNKNOWN: u8 = 3;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Usage(String),
    #[error("{option} is not built yet in this version of leno: {neutral}")]
    NotBuilt { option: String, neutral: String },
    #[error("{path}: {source}")]
    Program { path: PathBuf, source: io::Error },
    #[error("{path}: {what}")]
    Unfit { path: PathBuf, what: String },
    #[error(
        "{0}: not built with leno-cc (the file has no .leno section); \
         compile and link it with leno-cc or leno-c++"
    )]
    NotInstrumented(PathBuf),
    #[error("{path}: {source}")]
    Table { path: PathBuf, source: tables::Error },
    #[error(
        "the runtime libleno_rt.so was not found beside {beside} or in ../lib/leno: \
         run `make build`, or install leno with `make install`"
    )]
    NoRuntime { beside: PathBuf },
    #[error("cannot write {path}: {source}")]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path}:{line}: {what}")]
    Model { path: PathBuf, line: usize, what: String },
    #[error("{path}:{line}: {what}")]
    Suppression { path: PathBuf, line: usize, what: String },
    #[error("{path} is not a trace of leno: {what}")]
    NotATrace { path: PathBuf, what: String },
    #[error("there is no search to go on with: {path} does not exist")]
    NoSearch { path: PathBuf },
    #[error("{path} is not the search to go on with: {what}")]
    NotASearch { path: PathBuf, what: String },
    #[error("the trace cannot be replayed: {0}")]
    Changed(String),
    #[error("the program is not deterministic: under the same schedule, {0}")]
    Nondeterminism(String),
    #[error("the program did something that leno cannot check: {0}")]
    Unsupported(String),
    #[error("leno's runtime failed: {0}")]
    Runtime(String),
    #[error("the check broke off: {0}")]
    BrokenOff(Box<BrokenOff>),
    #[error(
        "shared memory was given to functions that leno has no model of: {0} \
         (--unseen warn or ignore lets the check go on)"
    )]
    Unseen(String),
}

/// A check or a replay that ended before its end, and what was known by then.
#[derive(Debug, Default)]
pub struct BrokenOff {
    pub how: String,
    pub counts: Counts,
    /// Of the bugs that had been found.
    pub traces: Vec<PathBuf>,
}

impl fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { how, counts, traces } = self;
        f.write_str(how)?;
        if counts.executions > 0 {
            let (executions, events) = (
                words::count(counts.executions, "execution"),
                words::count(counts.events, "event"),
            );
            write!(f, "; {executions} with {events} had been run before")?;
        }
        if !traces.is_empty() {
            let shown: Vec<_> = traces.iter().map(|trace| human::shown(trace)).collect();
            let found = words::count(traces.len() as u64, "bug");
            write!(f, "; {found} had been found before: {}", shown.join(", "))?;
        }
        Ok(())
    }
}

impl Error {
    /// One word for what went wrong, for `--format json`.
    pub fn kind(&self) -> &'static str {
        match self {
            Error::Usage(_) => "usage",
            Error::NotBuilt { .. } => "not_built",
            Error::Program { .. } | Error::Unfit { .. } => "program",
            Error::NotInstrumented(_) => "not_instrumented",
            Error::Table { .. } => "table",
            Error::NoRuntime { .. } => "no_runtime",
            Error::Write { .. } => "write",
            Error::Read { .. } => "read",
            Error::Model { .. } => "model",
            Error::Suppression { .. } => "suppression",
            Error::NotATrace { .. } => "not_a_trace",
            Error::NoSearch { .. } => "no_search",
            Error::NotASearch { .. } => "not_a_search",
            Error::Changed(_) => "changed",
            Error::Nondeterminism(_) => "nondeterminism",
            Error::Unsupported(_) => "unsupported",
            Error::Runtime(_) => "runtime",
            Error::BrokenOff(_) => "broken_off",
            Error::Unseen(_) => "unseen",
        }
    }
}
