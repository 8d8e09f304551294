//! Trace happens-before, and the races that a search has to reverse.
//!
//! The relation is the least one that contains program order, the order of
//! dependent events and the enabling edges (see `dependence`). Two executions with
//! the same events and the same relation are one Mazurkiewicz trace.
//!
//! Events e and e' of different threads *race* if e comes before e' and no third
//! event lies between them in the relation. The race is *reversible* if e' could
//! have happened without e and what comes after it. The candidates, e''s latest
//! dependencies, are looked at from the latest to the earliest: one that is not yet
//! in the clock races, and its clock is joined, which covers all that only comes
//! before e' by way of it.
//!
//! Reversible is what does not enable e':
//! - A lock after an unlock is enabled by it. What it races with is the acquisition
//!   whose critical section lies between, and that is tested before the clock of
//!   the unlock is joined. If the thread is still blocked when the execution ends,
//!   its pending lock races all the same; nothing else of the mutex does, because
//!   nothing else could have come after it.
//! - The second half of a wait is such a lock, enabled by the wake-up as well,
//!   whose clock is joined first.
//! - The second half of a futex wait comes after its wake-up, and after nothing else.
//! - Read-write locks, semaphores and barriers: see `blocking`.
//! - Creation, join and exit: never. An exit comes after everything.

use crate::{
    blocking::{self, Race},
    clock::Clocks,
    futex,
    trace::Trace,
};
use alloc::vec::Vec;
use leno_model::{Op, ThreadId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Happens {
    clocks: Clocks,
    dependencies: Vec<u32>,
}

impl Happens {
    /// Computes the clock of `event`, the trace's last, and collects the events that
    /// are in a reversible race with it. Only events before `limit` are looked at;
    /// `pending`: the event never happened.
    pub fn examine(
        &mut self,
        trace: &Trace,
        event: u32,
        limit: u32,
        pending: bool,
        races: &mut Vec<Race>,
    ) {
        races.clear();
        let e = trace.event(event);
        let clocks = &mut self.clocks;
        let previous = trace.previous(event);
        clocks.begin(previous);
        if let (None, Some(creation)) = (previous, trace.creation(e.thread)) {
            clocks.join(creation);
        }
        // What the event needs before it can happen at all.
        let mut section = None;
        match e.op {
            Op::Join { thread } => {
                if let Some(end) = trace.events_of(thread).last() {
                    clocks.join(*end);
                }
            }
            Op::Exit => {
                for thread in trace.threads().filter(|thread| *thread != e.thread) {
                    if let Some(last) = trace.events_of(thread).last() {
                        clocks.join(*last);
                    }
                }
                return;
            }
            Op::Rewait { cond, .. } => match trace.waker(e.thread, cond, limit.min(event)) {
                Some(waker) => clocks.join(waker),
                None => return,
            },
            Op::FutexResume { .. } => match futex::waker(trace, e.thread, limit.min(event)) {
                Some(waker) => clocks.join(waker),
                None => return,
            },
            Op::BarrierLeave { barrier } => {
                let arrivals = blocking::leaving(trace, e.thread, barrier, limit.min(event));
                arrivals.iter().for_each(|arrival| clocks.join(*arrival));
                if let Some(leave) = blocking::deciding(trace, &arrivals, e.thread) {
                    clocks.join(leave);
                }
                return;
            }
            _ => {}
        }
        let gate = match e.op {
            Op::ReadLock { rwlock } => Some(blocking::reading(trace, rwlock, limit.min(event))),
            Op::WriteLock { rwlock } => {
                Some(blocking::writing(trace, clocks, rwlock, limit.min(event)))
            }
            Op::SemWait { sem } => Some(blocking::taking(trace, sem, limit.min(event))),
            _ => None,
        };
        if let Some(gate) = gate {
            races.extend(gate.closed.into_iter().filter(|race| !clocks.covers(race.first)));
            gate.opened.iter().for_each(|event| clocks.join(*event));
            if gate.shut {
                return;
            }
        }
        if let Op::Lock { mutex, .. } | Op::Rewait { mutex, .. } = e.op {
            let hold = trace.hold_before(event, mutex, limit);
            if pending && hold.mutex.owner.is_some_and(|owner| owner != e.thread) {
                let closed = hold.acquired.filter(|acquired| !clocks.covers(*acquired));
                races.extend(closed.map(Race::from));
                return;
            }
            // A thread that held a recursive mutex itself did not need it freed.
            let needed =
                |freed: &u32| !trace.hold_before(*freed, mutex, *freed).mutex.lockable(e.thread);
            section = hold.freed.filter(needed).zip(hold.acquired);
        }
        trace.dependencies(event, limit, &mut self.dependencies);
        for earlier in &self.dependencies {
            match section {
                Some((freed, acquired)) if *earlier == freed => {
                    let closed = Some(acquired).filter(|acquired| !clocks.covers(*acquired));
                    races.extend(closed.map(Race::from));
                    clocks.join(freed);
                }
                _ if clocks.covers(*earlier) => {}
                _ => {
                    races.push((*earlier).into());
                    clocks.join(*earlier);
                }
            }
        }
    }

    pub fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// How many of the thread's events come before the one that was examined.
    pub fn seen(&self, thread: ThreadId) -> u32 {
        self.clocks.seen(thread)
    }

    /// The event that was examined belongs to the trace.
    pub fn commit(&mut self, trace: &Trace, event: u32) {
        self.clocks.commit(trace.event(event).thread, trace.position(event));
    }

    pub fn truncate(&mut self, events: usize) {
        self.clocks.truncate(events);
    }

    /// Collects I(v): the threads that can begin v, which are the events after the
    /// race's first and before `second` that do not come after the first (and what
    /// else the race removes), and then `second`, the event that was examined last.
    /// `second` may be one that never happened. `past`: of v only what comes before
    /// `second`.
    pub fn initials(
        &self,
        trace: &Trace,
        race: &Race,
        second: u32,
        limit: u32,
        past: bool,
        out: &mut Initials,
    ) {
        out.threads.clear();
        out.firsts.clear();
        let begins = |out: &mut Initials, thread: ThreadId, after: &dyn Fn(u32) -> bool| {
            if out.firsts.iter().any(|other| trace.event(*other).thread == thread) {
                return false;
            }
            if !out.firsts.iter().any(|other| after(*other)) {
                out.threads.push(thread);
            }
            true
        };
        for event in race.first + 1..second.min(limit) {
            if past && !self.clocks.covers(event) {
                continue;
            }
            if !race.removes(&self.clocks, event) {
                let thread = trace.event(event).thread;
                if begins(out, thread, &|other| self.clocks.ordered(other, event)) {
                    out.firsts.push(event);
                }
            }
        }
        begins(out, trace.event(second).thread, &|other| self.clocks.covers(other));
    }
}

/// The threads that [`Happens::initials`] has found; kept to be used again.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Initials {
    pub threads: Vec<ThreadId>,
    /// Each thread's first event in v.
    firsts: Vec<u32>,
}
