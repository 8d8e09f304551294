//! Misuse of synchronisation objects: what of it is a bug, and in which words.
//!
//! The checker says what is wrong with an operation. Where POSIX leaves the matter
//! undefined it is a bug. Where the function refuses it with an error (a relock of an
//! error-checking mutex) it is one only if the program throws the error away: the pass
//! has noted which calls these are.

use crate::{
    describe,
    execution::{self, running},
    fiber, given_stacks, host,
    record::record,
    trace::{self, FailureText},
    units,
};
use alloc::{format, string::String, vec::Vec};
use leno_checker::Misuse;
use leno_model::{MutexKind, Op, Outcome, Property, SiteRef, ThreadId, wire::Part};

/// What the first word of a destroyed object is made. If it is something else later, a
/// new object lies there, initialised by assignment and not by a call.
const DESTROYED: u32 = 0xdead_10cc;

/// Marks the memory of an object that has been destroyed.
pub fn mark_destroyed(object: u64) {
    // SAFETY: the program's object, at least four bytes long and aligned to four.
    unsafe { (object as *mut u32).write(DESTROYED) };
}

/// An operation is about to happen: what is wrong with it.
pub fn look(thread: ThreadId, op: &Op, kind: MutexKind) -> Option<(Misuse, bool)> {
    let objects = op.objects();
    let first = objects[0]?;
    let director = execution::director()?;
    for object in objects.into_iter().flatten() {
        // SAFETY: the program's object.
        if director.sync().is_destroyed(object)
            && unsafe { (object as *const u32).read_volatile() } != DESTROYED
        {
            director.renew(object);
        }
    }
    let (misuse, refused) = director.sync().misuse(thread, op, kind)?;
    // A stack is used again without notice: an object that nobody has unlocked there is
    // most likely not the one that is initialised.
    let initialises = matches!(
        op,
        Op::MutexInit { .. } | Op::CondInit { .. } | Op::RwInit { .. } | Op::BarrierInit { .. }
    );
    let is_stack = |addr: u64| {
        fiber::owner_of(addr as usize).is_some() || given_stacks::tenant_of(addr).is_some()
    };
    let new = initialises && is_stack(first);
    (!new).then_some((misuse, refused))
}

/// The operation has happened, and was wrong. Comes back if that is not to be reported.
pub fn judge(op: &Op, (misuse, refused): (Misuse, bool), site: SiteRef) {
    if !host::looks_for(Property::Lock) || refused && !is_ignored(site) {
        return;
    }
    let object = op.objects().into_iter().flatten();
    let shown = match (op, misuse) {
        // Of a wait's two objects the one that is at fault.
        (Op::Wait { mutex, .. }, Misuse::NotHeld { .. }) | (Op::Rewait { mutex, .. }, _) => *mutex,
        (Op::Wait { cond, mutex }, Misuse::Destroyed) => {
            let destroyed =
                |object: u64| execution::director().is_some_and(|d| d.sync().is_destroyed(object));
            if destroyed(*cond) { *cond } else { *mutex }
        }
        _ => object.clone().next().unwrap_or(0),
    };
    let text = FailureText::Misuse {
        what: sentence(op, misuse, refused, shown),
        object: Some(describe::object(shown)),
        parts: parts(misuse, shown),
    };
    execution::fail(Property::Lock, code(misuse), site, text)
}

/// Something else was done that is undefined.
pub fn report(what: String, object: u64, site: SiteRef) {
    if host::looks_for(Property::Lock) {
        execution::fail(Property::Lock, 10, site, noted(what, object));
    }
}

/// A function has returned an error without an event: a bug if nobody looks at it.
pub fn refused(what: &str, object: u64, site: SiteRef) {
    if host::looks_for(Property::Lock) && is_ignored(site) {
        let what = format!("{what}, and ignores the error");
        execution::fail(Property::Lock, 9, site, noted(what, object));
    }
}

/// A misuse of something whose state has no events of its own.
fn noted(what: String, object: u64) -> FailureText {
    let parts = execution::history(object);
    FailureText::Misuse { what, object: Some(describe::object(object)), parts }
}

/// Whether the error that a function of ours is about to return is thrown away. If the
/// site calls something else, it is that function which gets the error.
fn is_ignored(site: SiteRef) -> bool {
    const OURS: [&str; 6] = ["pthread_", "sem_", "mtx_", "cnd_", "thrd_", "tss_"];
    let callee = units::callee(site).unwrap_or_default();
    OURS.iter().any(|prefix| callee.starts_with(prefix)) && units::ignores_result(site)
}

/// Tells the kinds apart in a record.
fn code(misuse: Misuse) -> u32 {
    match misuse {
        Misuse::NotHeld { .. } => 1,
        Misuse::Destroyed => 2,
        Misuse::Held { .. } => 3,
        Misuse::WaitedFor { .. } => 4,
        Misuse::OtherMutex { .. } => 5,
        Misuse::Relocked => 6,
        Misuse::Full => 7,
        Misuse::Uninitialised => 8,
    }
}

fn sentence(op: &Op, misuse: Misuse, refused: bool, shown: u64) -> String {
    let (does, noun) = words(op, shown);
    let but = if refused { ", and ignores the error" } else { "" };
    let what = match misuse {
        Misuse::NotHeld { .. } if matches!(op, Op::Wait { .. }) => {
            String::from("waits with a mutex that it does not hold")
        }
        Misuse::NotHeld { holder: None } => format!("{does} {noun} that nobody holds"),
        Misuse::NotHeld { holder: Some(_) } => format!("{does} {noun} that it does not hold"),
        Misuse::Destroyed => format!("{does} {noun} that has been destroyed"),
        Misuse::Held { .. } => format!("{does} {noun} that is locked"),
        Misuse::WaitedFor { .. } => match op {
            Op::MutexInit { .. } | Op::MutexDestroy { .. } => {
                format!("{does} {noun} that the end of a wait is going to lock")
            }
            _ => format!("{does} {noun} that a thread waits for"),
        },
        Misuse::OtherMutex { .. } => {
            String::from("waits for a condition variable with another mutex than those who wait")
        }
        Misuse::Relocked if matches!(op, Op::ReadLock { .. } | Op::WriteLock { .. }) => {
            format!("{does} {noun} that it has locked for writing")
        }
        Misuse::Relocked => String::from("locks an error-checking mutex that it holds already"),
        Misuse::Full => String::from("posts a semaphore that has the largest value already"),
        Misuse::Uninitialised => format!("{does} {noun} that was never initialised"),
    };
    what + but
}

/// What an operation does to an object: `locks a mutex`.
pub fn deed(op: &Op, object: u64) -> String {
    let (does, noun) = words(op, object);
    format!("{does} {noun}")
}

fn words(op: &Op, shown: u64) -> (&'static str, &'static str) {
    match *op {
        Op::MutexInit { .. } => ("initialises", "a mutex"),
        Op::MutexDestroy { .. } => ("destroys", "a mutex"),
        Op::Lock { .. } | Op::TryLock { .. } => ("locks", "a mutex"),
        Op::Unlock { .. } => ("unlocks", "a mutex"),
        Op::Wait { mutex, .. } if mutex == shown => ("waits with", "a mutex"),
        Op::Wait { .. } => ("waits for", "a condition variable"),
        Op::Rewait { .. } => ("locks, at the end of a wait,", "a mutex"),
        Op::Unwait { .. } => ("gives up waiting for", "a condition variable"),
        Op::CondInit { .. } => ("initialises", "a condition variable"),
        Op::CondDestroy { .. } => ("destroys", "a condition variable"),
        Op::Signal { .. } | Op::Broadcast { .. } => ("signals", "a condition variable"),
        Op::RwInit { .. } => ("initialises", "a read-write lock"),
        Op::RwDestroy { .. } => ("destroys", "a read-write lock"),
        Op::RwUnlock { .. } => ("unlocks", "a read-write lock"),
        Op::ReadLock { .. }
        | Op::WriteLock { .. }
        | Op::TryReadLock { .. }
        | Op::TryWriteLock { .. } => ("locks", "a read-write lock"),
        Op::SemInit { .. } => ("initialises", "a semaphore"),
        Op::SemDestroy { .. } => ("destroys", "a semaphore"),
        Op::SemPost { .. } => ("posts", "a semaphore"),
        Op::SemValue { .. } => ("looks at", "a semaphore"),
        Op::SemWait { .. } | Op::SemTryWait { .. } => ("waits for", "a semaphore"),
        Op::BarrierInit { .. } => ("initialises", "a barrier"),
        Op::BarrierDestroy { .. } => ("destroys", "a barrier"),
        Op::BarrierArrive { .. } => ("waits at", "a barrier"),
        _ => ("uses", "an object"),
    }
}

/// The event that is the other half of the misuse. The last event is the misuse itself.
fn parts(misuse: Misuse, object: u64) -> Vec<Part> {
    let Some(tracer) = running().and_then(|x| x.tracer()) else { return Vec::new() };
    let me = execution::current_thread();
    let is_on = |op: &Op| op.objects().contains(&Some(object));
    let (who, what): (Option<ThreadId>, &str) = match misuse {
        Misuse::NotHeld { holder: Some(holder) } | Misuse::Held { holder } => {
            (Some(holder), "locked it here")
        }
        Misuse::NotHeld { holder: None } => (None, "unlocked it here"),
        Misuse::Relocked => (me, "locked it here"),
        Misuse::Destroyed => (None, "destroyed it here"),
        Misuse::WaitedFor { waiter } => (Some(waiter), "waits here"),
        Misuse::OtherMutex { waiter } => (Some(waiter), "waits with another mutex here"),
        Misuse::Full | Misuse::Uninitialised => (None, "initialised it here"),
    };
    let fits = |op: &Op, outcome: Outcome| match misuse {
        Misuse::NotHeld { holder: None } => {
            matches!(op, Op::Unlock { .. } | Op::RwUnlock { .. } | Op::Wait { .. })
        }
        Misuse::NotHeld { .. } | Misuse::Held { .. } | Misuse::Relocked => {
            matches!(op, Op::Rewait { .. }) || outcome == Outcome::Acquired(true)
        }
        Misuse::Destroyed => matches!(
            op,
            Op::MutexDestroy { .. }
                | Op::CondDestroy { .. }
                | Op::RwDestroy { .. }
                | Op::SemDestroy { .. }
                | Op::BarrierDestroy { .. }
        ),
        Misuse::WaitedFor { .. } | Misuse::OtherMutex { .. } => {
            matches!(op, Op::Wait { .. } | Op::BarrierArrive { .. })
        }
        Misuse::Full | Misuse::Uninitialised => {
            matches!(op, Op::SemInit { .. } | Op::BarrierInit { .. })
        }
    };
    let events = record().events.as_slice();
    let before = &events[..events.len().saturating_sub(1)];
    let found = before.iter().rposition(|event| {
        who.is_none_or(|who| who == event.thread)
            && is_on(&event.op)
            && fits(&event.op, event.outcome)
    });
    found.map(|at| trace::part(tracer, at, what)).into_iter().collect()
}
