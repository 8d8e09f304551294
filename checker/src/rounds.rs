//! Rounds: threads that only keep each other going.
//!
//! ```c
//! for (;;) {                                for (;;) {
//!     lock(a);                                  lock(b);
//!     if (trylock(b) == 0) break;               if (trylock(a) == 0) break;
//!     unlock(a);                                unlock(b);
//! }                                         }
//! ```
//!
//! Each attempt may fail because of the other thread's round, so neither round can be removed
//! by itself (see `awaits`); together they can.
//!
//! **The rule.** Let a thread come back to where it stood before, with the same local state.
//! To each of the two moments belongs the state behind all that comes before it in the trace,
//! and nothing else: the *past* of the one is part of that of the other. If the two states are
//! the same, the thread does nothing more in this execution, as if the program had assumed that
//! it does not come there again. The states are the same if between them, by whomever,
//! - no event leaves anything behind but what it holds, and
//! - each thread that has moved has come back to its local state, holding what it held then.
//!
//! **Nothing is lost.** Take an execution in which such a thread goes on. What lies between the
//! two pasts can be removed from it: the rest is an execution from that state as well as from
//! the other. It is shorter and ends in the same state. So the shortest execution that comes to
//! a given end is none in which a thread goes on. And of those the search explores all: which
//! threads stop is a matter of what comes before the event at which they do, which is the same in
//! all executions of the trace, and what else happens does not change it.
//!
//! **It ends.** The threads have finitely many states, if they have finitely many at all, so a
//! round that goes on and on comes back to one in view of all the others too.

use crate::{
    Repertoire,
    awaits::{holds, leaves_nothing},
    happens::Happens,
    trace::Trace,
};
use alloc::vec::Vec;
use leno_model::{Access, Event, Op, Outcome, ThreadId};

/// What has happened so far.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    pub events: &'a [Event],
    pub accesses: &'a [Access],
}

impl<'a> Past<'a> {
    pub fn accesses_of(&self, event: &Event) -> &'a [Access] {
        let first = event.first_access as usize;
        &self.accesses[first..first + event.access_count as usize]
    }
}

/// The execution with its order, as far as somebody has asked for it.
#[derive(Clone, Default, Debug)]
pub struct Rounds {
    trace: Trace,
    happens: Happens,
}

impl Rounds {
    pub fn clear(&mut self) {
        self.trace.truncate(0);
        self.happens.truncate(0);
    }

    fn learn(&mut self, past: &Past<'_>, repertoire: &Repertoire) {
        let Self { trace, happens } = self;
        let mut races = Vec::new();
        for event in &past.events[trace.len()..] {
            let accesses = past.accesses_of(event);
            let place = trace.len() as u32;
            trace.push(event, accesses, repertoire.of(event, accesses));
            happens.examine(trace, place, place, false, &mut races);
            happens.commit(trace, place);
        }
    }

    /// If a thread that is back where it stood so many of its own events ago finds the whole as
    /// it was then: the events in between. `visit`: where a thread stood before an event, or
    /// stands behind all; 0 if that is not known.
    pub fn between(
        &mut self,
        thread: ThreadId,
        ago: usize,
        past: &Past<'_>,
        repertoire: &Repertoire,
        visit: impl Fn(ThreadId, Option<u32>) -> u64,
    ) -> Option<Vec<u32>> {
        self.learn(past, repertoire);
        let own = self.trace.events_of(thread);
        let (last, before) = (own.last()?, own.iter().rev().nth(ago)?);
        let clocks = self.happens.clocks();
        let mut between = Vec::new();
        for other in self.trace.threads() {
            let events = self.trace.events_of(other);
            let [then, now] = [before, last].map(|event| clocks.position(*event, other) as usize);
            let stood = |behind: usize| visit(other, events.get(behind).copied());
            let is_back = || stood(then) != 0 && stood(then) == stood(now);
            if then != now && !(is_back() && self.comes_back(&events[then..now])) {
                return None;
            }
            between.extend_from_slice(&events[then..now]);
        }
        Some(between)
    }

    /// Whether these events of a thread leave nothing behind, and it holds in the end what it
    /// held before them.
    fn comes_back(&self, events: &[u32]) -> bool {
        let mut balance: Vec<(_, i32)> = Vec::new();
        for event in events {
            let (e, accesses) = (self.trace.event(*event), self.trace.accesses(*event));
            if !leaves_nothing(e, accesses) {
                return false;
            }
            for hold in holds(e).into_iter().flatten() {
                let held = (hold.object, is_shared(e));
                let by = if hold.acquired { 1 } else { -1 };
                match balance.iter_mut().find(|(other, _)| *other == held) {
                    Some((_, count)) => *count += by,
                    None => balance.push((held, by)),
                }
            }
        }
        balance.iter().all(|(_, count)| *count == 0)
    }
}

/// Whether it is a reader's part of a lock that the event acquires or releases.
fn is_shared(event: &Event) -> bool {
    match event.op {
        Op::ReadLock { .. } | Op::TryReadLock { .. } => true,
        Op::RwUnlock { .. } => event.outcome == Outcome::ReleasedShared,
        _ => false,
    }
}
