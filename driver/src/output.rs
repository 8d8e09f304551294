//! The tool's own output.

use crate::error::EXIT_FAULT;
use std::{
    fmt::Display,
    io::{self, Write},
    process,
};

/// Writes a line to stderr, if there is anybody who reads it.
pub fn complain(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes to stdout. Whoever reads it may have seen enough (`leno check … | head`): a
/// closed pipe is no failure, and the exit status is still the verdict's. A disk that is
/// full is one.
pub fn say(text: impl Display) {
    let mut out = io::stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(format_args!("leno: error: stdout: {error}"));
            process::exit(EXIT_FAULT.into());
        }
        _ => {}
    }
}
