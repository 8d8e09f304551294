//! The locks of stdio's streams, for programs that lock them themselves.
//!
//! A stream's lock is a recursive mutex. What stdio's own functions print is no event
//! (see docs/architecture.md), so they do not wait for it; libc's own lock is never
//! held while another thread runs.

use super::real;
use crate::{
    execution::{call_site, running},
    hooks::synchronise,
};
use leno_entry::entry;
use leno_model::{MutexKind, Op, Outcome};

type Stream = *mut libc::FILE;

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn flockfile(stream: Stream) {
    if running().is_none() {
        return real!(flockfile(stream => Stream) -> ());
    }
    let op = Op::Lock { mutex: stream as u64, kind: MutexKind::Recursive };
    synchronise(op, call_site());
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn ftrylockfile(stream: Stream) -> i32 {
    if running().is_none() {
        return real!(ftrylockfile(stream => Stream) -> i32);
    }
    let op = Op::TryLock { mutex: stream as u64, kind: MutexKind::Recursive };
    i32::from(synchronise(op, call_site()).outcome == Outcome::Acquired(false))
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn funlockfile(stream: Stream) {
    if running().is_none() {
        return real!(funlockfile(stream => Stream) -> ());
    }
    synchronise(Op::Unlock { mutex: stream as u64 }, call_site());
}
