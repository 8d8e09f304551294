//! `std::lock`: several locks at once, by trying and backing off.
//!
//! It locks the first, tries the others, and if one is taken gives back what it has and
//! begins again with that one. Two threads that do so can be in each other's way for ever,
//! so there are executions without end, and many more with ever more rounds. Only those
//! are kept in which the first round succeeds, or in which the thread cannot go on behind a
//! failed one: when a thread that has failed gets the lock that it begins the next round
//! with, it counts as having assumed that it would not.
//!
//! **Nothing is lost.** Take any execution, remove all rounds that failed, and move the
//! acquisitions of those that succeeded to where the last of them was: the others could be
//! taken there too, because the thread held them, and so can all of them in the order of
//! the first round. A round leaves nothing behind but locks given back, and what it held
//! for a while was noticed by nobody: who waited for it waits no longer, and who tried in
//! vain has done so in a round that failed. So the same threads end up in the same state.
//! If the execution ends with a thread stuck in `std::lock`, some lock of it is held for
//! ever; begun at the end, its first round fails at such a lock, or waits for it, and then
//! it waits for it for ever. By C11, a round orders nothing that the successful one does not
//! acquire as well; what it released is lost, so at most there are more races.
//!
//! Two things stand against this, and with them the algorithm runs as it is written (for
//! the whole program, from the next execution on; [`OFF`]): a lock of it that is tried
//! elsewhere, where failing means something; and a thread that stays behind in it when the
//! process ends, because not all of its locks may have become known.
//!
//! A lock that the thread itself holds, or that is given twice, is no matter of other
//! threads; and locks of the program's own making, whose functions may do more than lock, are left out.

use crate::{
    accesses,
    cell::Global,
    execution::{Running, finish, refute, running},
    fiber::{self, FrameRecord},
    sharing, units,
};
use alloc::vec::Vec;
use leno_model::{AccessKind, End, Event, Op, Order, Outcome, object::OUTSIDE};

/// How the names of the functions begin that work like this: libstdc++'s, libc++'s and
/// Boost's.
const NAMES: [&str; 4] = ["_ZSt4lockI", "_ZNSt3__14lockI", "_ZNSt3__14lockB", "_ZN5boost4lockI"];

/// Between them and the lock itself there are only functions of these.
const LIBRARIES: [&str; 5] = ["_ZSt", "_ZNSt", "_ZNKSt", "_ZN5boost", "_ZNK5boost"];
/// And static ones of libstdc++.
const GTHREAD: &str = "__gthread_";

/// Marked as shared if the algorithm is to run as it is: that goes with every trace.
const OFF: u64 = OUTSIDE.end;

/// What a function's name says about it here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Other,
    Library,
    LocksAll,
}

/// Whether the program has such a function.
static PRESENT: Global<bool> = Global::new(false);

/// A function of the program, by its symbol.
pub fn role(symbol: &str) -> Role {
    if NAMES.iter().any(|name| symbol.starts_with(name)) {
        *PRESENT.get() = true;
        Role::LocksAll
    } else if LIBRARIES.iter().any(|name| symbol.starts_with(name))
        || symbol.starts_with("_ZL") && symbol.contains(GTHREAD)
    {
        Role::Library
    } else {
        Role::Other
    }
}

/// The locks of an execution that matter here.
#[derive(Default)]
pub struct Locks {
    /// Taken, or tried, by `std::lock`.
    together: Vec<u64>,
    /// Tried by others.
    tried: Vec<u64>,
}

/// The record of the call of `std::lock` that the running thread is in, with nothing but
/// the library between it and the lock.
fn activation() -> Option<*const FrameRecord> {
    let mut frame = fiber::frame();
    // SAFETY: the chain of frame records of the running thread.
    while let Some(record) = unsafe { frame.as_ref() } {
        match units::role(record) {
            Role::LocksAll => return Some(frame),
            Role::Library => frame = record.caller,
            Role::Other => return None,
        }
    }
    None
}

/// An event of the running thread has happened.
#[inline]
pub fn happened(event: &Event) {
    if *PRESENT.get() {
        look(event);
    }
}

fn look(event: &Event) {
    let failed = event.outcome == Outcome::Acquired(false);
    let (lock, waits) = match event.op {
        Op::Lock { mutex: lock, .. } => (lock, true),
        Op::ReadLock { rwlock: lock } | Op::WriteLock { rwlock: lock } => (lock, true),
        Op::TryLock { mutex: lock, .. } => (lock, false),
        Op::TryReadLock { rwlock: lock } | Op::TryWriteLock { rwlock: lock } => (lock, false),
        _ => return,
    };
    if sharing::is_marked(OFF) {
        return;
    }
    let activation = activation();
    let x = running().expect("events happen in an execution");
    let own = x.holds(lock);
    let Locks { together, tried } = &mut x.locks;
    let (mine, others) = match activation {
        Some(_) => (together, tried),
        None if waits => return,
        None => (tried, together),
    };
    if others.contains(&lock) {
        turn_off();
        finish(End::Bounded);
    }
    if !mine.contains(&lock) {
        mine.push(lock);
    }
    let thread = x.thread();
    if waits && !failed && activation.is_some() && thread.backs_off == activation {
        refute();
    }
    thread.backs_off = activation.filter(|_| failed && !waits && !own);
}

/// The exception that the running thread has caught may have left such a call.
pub fn left() {
    running().expect("in an execution").thread().backs_off = None;
}

/// The execution is over.
pub fn wind_up(x: &Running, end: End) {
    let stays_behind = || x.threads().any(|thread| thread.alive && thread.backs_off.is_some());
    if matches!(end, End::Completed { .. }) && stays_behind() && !sharing::is_marked(OFF) {
        turn_off();
    }
}

fn turn_off() {
    sharing::reveal(&[accesses::one(AccessKind::Read, OFF, 8, Some(Order::Relaxed))]);
}
