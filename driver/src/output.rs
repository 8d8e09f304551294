//! The tool's own output.

use std::{
    fmt::Display,
    io::{self, Write},
};

/// Writes to stdout. Whoever reads it may have seen enough (`leno check … | head`): a
/// closed pipe is no failure, and the exit status is still the verdict's.
pub fn say(text: impl Display) {
    let mut out = io::stdout().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}
