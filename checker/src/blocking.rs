//! What a blocking operation waits for, read off the history of its object.
//!
//! Read-write locks, semaphores and barriers. (Mutexes have their state kept beside
//! the trace, see `trace::Hold`; the reasoning is the same.) For an operation q that
//! had to wait, or still does, two things matter to a search. What *opened* the way
//! enables q: there is no execution in which q comes before it, and no race. What
//! had *closed* the way before that is in a reversible race with q, if it does not
//! come before q's own thread: q could have been in its place.
//!
//! **Why looking at the last closing is enough.** Let q be possible in some state,
//! p happen there instead, and q be impossible from then on. Among the executions
//! that begin so there is one in which q happens at the first moment at which the
//! way is open again, or never. There p, or for a lock that is read by several
//! threads one of those who kept it closed since, is what closed the way last. All
//! executions that begin with p are explored, up to equivalence, that one too.
//!
//! - **Semaphores.** The last event that made the value 0. Everything else that
//!   happens to the semaphore after it comes after it in the relation, so without it
//!   the unit that it took is there. Of the posts behind it a single one opens the
//!   way. If there are several each of them races: the others are left without it.
//! - **Reading** waits for a writer, as a lock of a mutex waits for its holder.
//! - **Writing** waits for a writer or for readers, and readers commute. Each
//!   acquisition a since the lock was last written is examined: q could have come
//!   before it, if without a, and what comes after a, nobody reads. If somebody does,
//!   because he only lets go behind a, or never, then he has to come after q as well:
//!   he is taken away too, if he came after a, and this is repeated. If he was there
//!   before a, then q could not have been in the place of a, but perhaps in his.
//!   (What the executions of the argument above do between their beginning and q is
//!   never taken away: a reader that came there had gone, for q was possible.)
//! - **Leaving a barrier** only waits: nothing closes it.

use crate::{
    clock::Clocks,
    dependence::{Object, Touch, touches},
    rwlock::RwLock,
    trace::Trace,
};
use alloc::vec::Vec;
use leno_model::{Event, Op, Outcome, ThreadId};
use serde::{Deserialize, Serialize};

/// A reversible race: the later event could have come before `first`, if also those
/// in `others`, all later than `first`, were to come after it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Race {
    pub first: u32,
    pub others: Vec<u32>,
}

impl From<u32> for Race {
    fn from(first: u32) -> Self {
        Self { first, others: Vec::new() }
    }
}

/// What an operation has to do with the history of its object.
#[derive(Clone, Default, Debug)]
pub struct Gate {
    /// What closed the way last.
    pub closed: Vec<Race>,
    /// What the operation comes after, but not by a race.
    pub opened: Vec<u32>,
    /// The way is still closed: the operation has not happened.
    pub shut: bool,
}

/// Whether the event acquires a read-write lock for writing.
pub fn writes(event: &Event) -> bool {
    matches!(event.op, Op::WriteLock { .. } | Op::TryWriteLock { .. })
        && event.outcome != Outcome::Acquired(false)
}

pub fn reads(event: &Event) -> bool {
    matches!(event.op, Op::ReadLock { .. } | Op::TryReadLock { .. })
        && event.outcome != Outcome::Acquired(false)
}

pub fn changes(event: &Event) -> bool {
    touches(&event.op, event.outcome).iter().flatten().any(|(_, touch)| *touch == Touch::Changes)
}

/// The state of a read-write lock before an event, as the trace has it.
pub fn rwlock_before(trace: &Trace, rwlock: u64, before: u32) -> RwLock {
    let mut since: Vec<u32> = Vec::new();
    for event in trace.history(Object::RwLock(rwlock), before) {
        since.push(event);
        if changes(trace.event(event)) {
            break;
        }
    }
    let mut lock = RwLock::default();
    for event in since.iter().rev().map(|event| trace.event(*event)) {
        apply_rwlock(&mut lock, event);
    }
    lock
}

pub fn apply_rwlock(lock: &mut RwLock, event: &Event) {
    match event.op {
        Op::RwUnlock { .. } if event.outcome == Outcome::Released(true) => {
            *lock = RwLock::default();
        }
        Op::RwUnlock { .. } => drop(lock.unlock(event.thread)),
        Op::RwInit { .. } | Op::RwDestroy { .. } => *lock = RwLock::default(),
        _ if writes(event) => {
            *lock = RwLock::default();
            lock.write(event.thread);
        }
        _ if reads(event) => drop(lock.read(event.thread)),
        _ => {}
    }
}

/// The event by which a thread came to hold the lock as it does before an event.
pub fn rwlock_since(trace: &Trace, rwlock: u64, holder: ThreadId, before: u32) -> Option<u32> {
    let history = trace.history(Object::RwLock(rwlock), before);
    let mut depth = 0;
    for (at, event) in history.map(|at| (at, trace.event(at))) {
        if event.thread == holder {
            match event.op {
                Op::RwUnlock { .. } if event.outcome == Outcome::ReleasedShared => depth += 1,
                _ if writes(event) => return Some(at),
                _ if reads(event) && depth > 0 => depth -= 1,
                _ if reads(event) => return Some(at),
                _ => {}
            }
        }
    }
    None
}

/// For a `ReadLock`: only writers matter.
pub fn reading(trace: &Trace, rwlock: u64, before: u32) -> Gate {
    let history = trace.history(Object::RwLock(rwlock), before);
    let mut changes = history.filter(|event| changes(trace.event(*event)));
    let mut gate = Gate::default();
    let is_write = |event: &u32| writes(trace.event(*event));
    match changes.next() {
        Some(last) if is_write(&last) => {
            gate.closed.push(last.into());
            gate.shut = true;
        }
        Some(last) => {
            if let Some(write) = changes.next().filter(is_write) {
                gate.closed.push(write.into());
                gate.opened.push(last);
            }
        }
        None => {}
    }
    gate
}

/// For a `WriteLock`. `clocks` has what comes before it by its own thread.
pub fn writing(trace: &Trace, clocks: &Clocks, rwlock: u64, before: u32) -> Gate {
    // Everything since the lock was last acquired for writing, in its order.
    let mut since: Vec<u32> = Vec::new();
    let mut write = None;
    for event in trace.history(Object::RwLock(rwlock), before) {
        if writes(trace.event(event)) {
            write = Some(event);
            break;
        }
        since.push(event);
    }
    since.reverse();
    let mut gate = Gate::default();
    // Since the last event that left nobody in it.
    let freed = since.iter().rposition(|event| changes(trace.event(*event)));
    let period = &since[freed.map_or(0, |freed| freed + 1)..];
    if write.is_some() && freed.is_none() {
        gate.closed.extend(write.map(Race::from));
        gate.shut = true;
        return gate;
    }
    gate.shut = !open(trace, period.iter().copied()).is_empty();
    let mut acquisitions: Vec<u32> =
        period.iter().copied().filter(|event| reads(trace.event(*event))).collect();
    if acquisitions.is_empty() {
        let Some(freed) = freed else { return gate };
        let earlier = &since[..freed];
        if write.is_some() && !earlier.iter().any(|event| changes(trace.event(*event))) {
            gate.closed.extend(write.map(Race::from));
            gate.opened.push(since[freed]);
        } else {
            // Initialised anew under its readers.
            acquisitions = open(trace, earlier.iter().copied());
            if !acquisitions.is_empty() {
                gate.opened.push(since[freed]);
            }
        }
    }
    let unlocks = |event: &u32| matches!(trace.event(*event).op, Op::RwUnlock { .. });
    gate.opened.extend(acquisitions.iter().copied());
    gate.opened.extend(period.iter().copied().filter(unlocks));
    for first in acquisitions {
        if !clocks.covers(first) {
            gate.closed.extend(without(trace, clocks, &since, first));
        }
    }
    gate
}

/// The race of an acquisition for reading with a `WriteLock` behind `since`.
fn without(trace: &Trace, clocks: &Clocks, since: &[u32], first: u32) -> Option<Race> {
    let mut race = Race::from(first);
    loop {
        let left = since.iter().copied().filter(|event| !race.removes(clocks, *event));
        let open = open(trace, left);
        if open.is_empty() {
            return Some(race);
        }
        if open.iter().any(|reader| *reader < first || clocks.covers(*reader)) {
            return None;
        }
        race.others.extend(open);
    }
}

impl Race {
    /// Whether the event has to come after the later event of the race, if that is
    /// to come before the first.
    pub fn removes(&self, clocks: &Clocks, event: u32) -> bool {
        let mut all = core::iter::once(&self.first).chain(&self.others);
        all.any(|root| event == *root || (event > *root && clocks.ordered(*root, event)))
    }
}

/// The outermost acquisitions for reading that are still open after these events.
fn open(trace: &Trace, events: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut open: Vec<(ThreadId, u32, u32)> = Vec::new();
    for (at, event) in events.map(|at| (at, trace.event(at))) {
        let own = open.iter().position(|(thread, ..)| *thread == event.thread);
        match (event.op, own) {
            (Op::RwUnlock { .. }, Some(own)) if event.outcome == Outcome::ReleasedShared => {
                open[own].1 -= 1;
                if open[own].1 == 0 {
                    open.remove(own);
                }
            }
            (_, Some(own)) if reads(event) => open[own].1 += 1,
            (_, None) if reads(event) => open.push((event.thread, 1, at)),
            _ if changes(event) => open.clear(),
            _ => {}
        }
    }
    open.into_iter().map(|(_, _, at)| at).collect()
}

/// For a `SemWait`.
pub fn taking(trace: &Trace, sem: u64, before: u32) -> Gate {
    let object = Object::Sem(sem);
    let value_before = |event: u32| trace.value(sem, event);
    let mut posts: Vec<u32> = Vec::new();
    // The last event that was no post.
    let mut last = None;
    for event in trace.history(object, before) {
        let e = trace.event(event);
        if changes(e) {
            last = Some(event);
            break;
        }
        if matches!(e.op, Op::SemPost { .. }) {
            posts.push(event);
        }
    }
    let value = trace.value(sem, before);
    let left = value.saturating_sub(posts.len() as u32);
    let mut gate = Gate::default();
    if value == 0 {
        gate.shut = true;
    } else if left == 0 && posts.len() == 1 {
        gate.opened.push(posts[0]);
    } else if let Some(last) = last.filter(|last| posts.is_empty() && value_before(*last) == 0) {
        gate.opened.push(last);
    } else {
        return gate;
    }
    let until = gate.opened.first().copied().unwrap_or(before);
    let closing = trace.history(object, until).find(|event| {
        let after = trace.value(sem, event + 1);
        after == 0 && value_before(*event) > 0
    });
    gate.closed.extend(closing.map(Race::from));
    gate
}

/// Who has arrived in the round that the thread is about to leave before an event:
/// the arrivals, and the leave that the others wait for.
pub fn leaving(trace: &Trace, thread: ThreadId, barrier: u64, before: u32) -> Vec<u32> {
    let of_thread = trace.events_of(thread);
    let past = &of_thread[..of_thread.partition_point(|event| *event < before)];
    let own = past.iter().rev().find(|event| is_arrival(trace, **event));
    let Some(Outcome::Arrived { round, .. }) = own.map(|event| trace.event(*event).outcome) else {
        return Vec::new();
    };
    let history = trace.history(Object::Barrier(barrier), before);
    let number = |event: &u32| match trace.event(*event).outcome {
        Outcome::Arrived { round, .. } => round,
        _ => u32::MAX,
    };
    let same = history.take_while(|event| number(event) >= round);
    same.filter(|event| number(event) == round).collect()
}

/// The leave by which it was decided who of the round is serial, if it is not that
/// of the thread itself.
pub fn deciding(trace: &Trace, arrivals: &[u32], thread: ThreadId) -> Option<u32> {
    let lowest = *arrivals.iter().min_by_key(|event| trace.event(**event).thread)?;
    let decider = trace.event(lowest).thread;
    let next = *trace.events_of(decider).get(trace.position(lowest) as usize)?;
    (decider != thread).then_some(next)
}

/// Calls `join` with the events on a read-write lock, semaphore or barrier that C11
/// orders before this one, but for those that come before them.
pub fn released(trace: &Trace, event: u32, mut join: impl FnMut(u32)) {
    let e = trace.event(event);
    if e.outcome == Outcome::Acquired(false) {
        return;
    }
    let object = match e.op {
        Op::ReadLock { rwlock }
        | Op::TryReadLock { rwlock }
        | Op::WriteLock { rwlock }
        | Op::TryWriteLock { rwlock }
        | Op::RwUnlock { rwlock } => Object::RwLock(rwlock),
        Op::SemWait { sem } | Op::SemTryWait { sem } | Op::SemPost { sem } => Object::Sem(sem),
        Op::BarrierArrive { barrier } => Object::Barrier(barrier),
        _ => return,
    };
    let takes = |op: &Op| matches!(op, Op::SemWait { .. } | Op::SemTryWait { .. });
    // The thread has been here before, and what came before that comes before this.
    let settles = |earlier: &Event| {
        earlier.thread == e.thread
            && earlier.outcome != Outcome::Acquired(false)
            && match earlier.op {
                Op::RwDestroy { .. } | Op::SemDestroy { .. } | Op::BarrierDestroy { .. } => false,
                _ if takes(&e.op) => takes(&earlier.op),
                _ if reads(e) => reads(earlier) || writes(earlier),
                _ => !writes(e),
            }
    };
    for (at, earlier) in trace.history(object, event).map(|at| (at, trace.event(at))) {
        match earlier.op {
            Op::RwInit { .. } | Op::SemInit { .. } | Op::BarrierInit { .. } => {
                join(at);
                return;
            }
            Op::RwUnlock { .. } if writes(e) || reads(e) => match earlier.outcome {
                Outcome::Released(true) => {
                    join(at);
                    // Who wrote came after all that was before.
                    return;
                }
                Outcome::ReleasedShared if writes(e) => join(at),
                _ => {}
            },
            Op::SemPost { .. } if takes(&e.op) => join(at),
            _ => {}
        }
        if settles(earlier) {
            return;
        }
    }
}

fn is_arrival(trace: &Trace, event: u32) -> bool {
    matches!(trace.event(event).op, Op::BarrierArrive { .. })
}
