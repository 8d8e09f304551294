//! Data races by C11's happens-before.
//!
//! Two accesses race if they have bytes in common, at least one writes, at least one
//! is plain, and neither happens before the other. (An update that puts back what it found
//! writes, for this, though it commutes with reads: two such events are in one execution all
//! the same, and it is seen there.) Happens-before is program order,
//! creation, join, unlock to lock, and what atomics synchronise:
//! - A release store passes its clock as a *message* to the loads that read it. A
//!   read-modify-write carries on the message of what it read: the release sequence.
//!   Any other store ends it, also one of the same thread (C++20).
//! - A relaxed store passes the clock of the thread's last release fence.
//! - An acquire load joins the message; a relaxed load keeps it for the thread's
//!   next acquire fence.
//! - Sequentially consistent means acquire and release. The total order gives no
//!   happens-before beyond that.
//! - A lock of a read-write lock synchronises with the unlocks before it that it had
//!   to come after: those by writers, and for a writer those by readers too. A wait
//!   for a semaphore synchronises with all posts before it, leaving a barrier with
//!   all arrivals of the round. Each of these, and every unlock, post and arrival,
//!   synchronises with the initialisation.
//! - The kernel reads a futex word as a relaxed load would, and wake-ups synchronise
//!   nothing: what orders is the program's own accesses to the word.
//! - Signals and broadcasts synchronise nothing; the mutex does: a lock with the
//!   release that freed it. (For a mutex that is unlocked by others than its
//!   holder, which is a misuse, earlier releases do not count.)
//! - Who leaves a condition variable or a barrier touches it, and is in a race with who gives
//!   the memory back; but not if it has been destroyed in between, for that waits until all have
//!   left. (Who leaves after that does not touch it.) This orders nothing else: whether somebody
//!   left before or after it was destroyed is no part of the Mazurkiewicz trace.
//!
//! The relation is a function of the Mazurkiewicz trace, since everything it is
//! made of is an order of dependent events. So all executions of a trace have the
//! same races, and a search that runs one of each finds them all. It also finds
//! them independently of which of the two accesses came first.
//!
//! FastTrack (Flanagan, Freund 2009) keeps the last accesses of each location;
//! here they are found in the trace's index, and *all* earlier accesses that are
//! not ordered are compared, not only the last: a race is named by its two sites,
//! and the last access may have another one.

use crate::{
    blocking::{leaving, released},
    clock::{Clocks, Slice},
    dependence::Object,
    trace::Trace,
};
use alloc::vec::Vec;
use leno_model::{Access, Op, Outcome};
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Races {
    clocks: Clocks,
    /// For each event.
    synchronisation: Vec<Synchronisation>,
    sources: Vec<u32>,
    rivals: Vec<u32>,
    weak_atomics: bool,
}

#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
struct Synchronisation {
    /// What a load that reads this event's write acquires.
    message: Slice,
    /// What the thread's next acquire fence acquires.
    acquirable: Slice,
    /// What the thread's relaxed stores release: its clock at the last release fence.
    released: Slice,
}

impl Races {
    /// Takes in the trace's last event and reports each of its races, with the
    /// earlier event and the bytes.
    pub fn push(&mut self, trace: &Trace, event: u32, mut report: impl FnMut(u32, u64, u64)) {
        let e = trace.event(event);
        let previous = trace.previous(event);
        let clocks = &mut self.clocks;
        clocks.begin(previous);
        if let (None, Some(creation)) = (previous, trace.creation(e.thread)) {
            clocks.join(creation);
        }
        let before = previous.map(|p| self.synchronisation[p as usize]).unwrap_or_default();
        let mut after = Synchronisation { message: Slice::default(), ..before };
        let mut message = Slice::default();
        match e.op {
            Op::Join { thread } => {
                if let Some(end) = trace.events_of(thread).last() {
                    clocks.join(*end);
                }
            }
            Op::Lock { mutex, .. } | Op::TryLock { mutex, .. } | Op::Rewait { mutex, .. }
                if e.outcome != Outcome::Acquired(false) =>
            {
                if let Some(released) = trace.hold_before(event, mutex, event).released {
                    clocks.join(released);
                }
            }
            Op::BarrierLeave { barrier } => {
                for arrival in leaving(trace, e.thread, barrier, event) {
                    clocks.join(arrival);
                }
            }
            Op::Fence(order) => {
                if order.acquires() {
                    clocks.join_slice(before.acquirable);
                    after.acquirable = Slice::default();
                }
                if order.releases() {
                    after.released = clocks.keep_with(e.thread, trace.position(event));
                }
            }
            _ => released(trace, event, |release| clocks.join(release)),
        }
        for access in trace.accesses(event) {
            let Some(order) = access.atomic else { continue };
            if !access.kind.reads() {
                continue;
            }
            trace.sources(event, access, &mut self.sources);
            for source in &self.sources {
                let passed = self.synchronisation[*source as usize].message;
                if order.acquires() {
                    clocks.join_slice(passed);
                } else {
                    after.acquirable = clocks.merge(after.acquirable, passed);
                }
                if access.kind.writes() {
                    message = clocks.merge(message, passed);
                }
            }
        }
        let atomic_write =
            trace.accesses(event).iter().find(|a| a.kind.writes() && a.atomic.is_some());
        if let Some(order) = atomic_write.and_then(|access| access.atomic) {
            let own = if order.releases() {
                clocks.keep_with(e.thread, trace.position(event))
            } else {
                after.released
            };
            after.message = clocks.merge(message, own);
        }
        let weakly = trace.rivals(event, |earlier| clocks.covers(earlier), &mut self.rivals);
        self.weak_atomics |= weakly;
        for earlier in self.rivals.iter().copied() {
            let race = |(mine, theirs): &(&Access, &Access)| {
                mine.races(theirs) && !was_let_go(trace, earlier, theirs, event)
            };
            if let Some((mine, theirs)) = pairs(trace, event, earlier).find(race) {
                let addr = mine.addr.max(theirs.addr);
                report(earlier, addr, mine.end().min(theirs.end()) - addr);
            }
        }
        self.clocks.commit(e.thread, trace.position(event));
        self.synchronisation.push(after);
    }

    pub fn truncate(&mut self, events: usize) {
        self.clocks.truncate(events);
        self.synchronisation.truncate(events);
    }

    /// Whether an event happens before a later one.
    pub fn ordered(&self, event: u32, later: u32) -> bool {
        self.clocks.ordered(event, later)
    }

    /// Whether an event will happen before what a thread does behind `last`, its last event,
    /// if it comes to a fence that acquires; and behind what acquires from its relaxed
    /// stores, because of a fence that has released.
    pub fn fenced(&self, event: u32, last: Option<u32>) -> [bool; 2] {
        let state = last.map(|last| self.synchronisation[last as usize]).unwrap_or_default();
        [state.acquirable, state.released].map(|slice| self.clocks.is_in(event, slice))
    }

    /// Whether two threads met at an atomic weaker than sequentially consistent.
    pub fn weak_atomics(&self) -> bool {
        self.weak_atomics
    }
}

/// Whether the earlier event has touched what it leaves, which is destroyed before the later
/// one.
fn was_let_go(trace: &Trace, earlier: u32, touch: &Access, later: u32) -> bool {
    let (object, addr, end) = match trace.event(earlier).op {
        Op::Rewait { cond, .. } | Op::Unwait { cond } => {
            (Object::Cond(cond), cond, Op::CondDestroy { cond })
        }
        Op::BarrierLeave { barrier } => {
            (Object::Barrier(barrier), barrier, Op::BarrierDestroy { barrier })
        }
        _ => return false,
    };
    let mut since = trace.history(object, later).take_while(|at| *at > earlier);
    touch.addr == addr && since.any(|at| trace.event(at).op == end)
}

fn pairs(trace: &Trace, a: u32, b: u32) -> impl Iterator<Item = (&Access, &Access)> {
    trace.accesses(a).iter().flat_map(move |a| trace.accesses(b).iter().map(move |b| (a, b)))
}
