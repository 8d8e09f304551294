//! Glances: what a thread has read in a round that is not gone on with.
//!
//! An execution in which a thread begins anew after a round that left nothing behind is not
//! explored, because a shorter one comes to the same (see `awaits`, `rounds`). But a race with
//! a read *in* that round would be lost, if what it races with can only happen behind the round,
//! in the thread's own or another's course:
//!
//! ```c
//! while (trylock(m) != 0)                   if (load(&left, relaxed))
//!     log(total);                               total = 0;
//! unlock(m);
//! store(&left, 1, relaxed);
//! ```
//!
//! If the first attempt succeeds, `total` is never read, and if it fails, the round is the last
//! thing that the thread does. So the executions that are not explored have a race and no other
//! has. It can only be so if the round might have gone without the read, so what comes first in
//! it, before anything decides how it goes on, is no glance: the round that is not removed, which
//! must be there if the thread gets away, begins with it too.
//!
//! Such races are rare, and glances are not. So the search only looks out for one: a plain
//! glance, and a write to the same bytes by another thread that may be there at the same time
//! and has no lock in common with it. (If there is the execution that was not explored, then
//! both are in one that is: the glance in the beginning that was dropped, the write in what
//! remains without the round.) When it meets such a pair, the search begins anew and is *patient*:
//! each thread may go once more round a loop in which it has had a glance. That is enough, since
//! a race needs one of them; all other rounds of the shortest execution that shows it can be
//! removed.
//!
//! What was written before the first glance is not known, so with that the search begins anew
//! as well. Where what is symmetric is cut, the write may be seen in the execution that has the
//! two threads exchanged, so it counts whoever makes it.

use crate::{awaits::holds, dependence::Object};
use alloc::vec::Vec;
use hashbrown::HashSet;
use leno_model::{Event, Execution, Op, Outcome, ThreadId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub enum Glances {
    #[default]
    None,
    Watched(Watch),
    /// One may be in a race.
    Mattering,
}

/// What was glanced at and what was written, in all executions.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Watch {
    glances: HashSet<Touched>,
    writes: HashSet<Touched>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
struct Touched {
    thread: ThreadId,
    addr: u64,
    end: u64,
    locks: Vec<Lock>,
    /// Of a write: the last thread that had been created.
    youngest: ThreadId,
}

/// A lock that is held; by a reader, it keeps out writers only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
struct Lock {
    at: u64,
    shared: bool,
}

impl Touched {
    /// Whether a glance and a write may be in a race.
    fn may_race(&self, write: &Touched, symmetry: bool) -> bool {
        let excludes = |a: &Lock, b: &Lock| a.at == b.at && !(a.shared && b.shared);
        let meet = self.thread != write.thread && self.thread <= write.youngest;
        (meet || symmetry)
            && self.addr < write.end
            && write.addr < self.end
            && !self.locks.iter().any(|own| write.locks.iter().any(|lock| excludes(own, lock)))
    }
}

impl Glances {
    /// Takes in an execution; what it has done before the event `from` is known. `symmetry`:
    /// there may be executions that were not explored for that. Says whether the search has to
    /// begin anew.
    #[must_use]
    pub fn learn(&mut self, run: &Execution<'_>, from: usize, symmetry: bool) -> bool {
        match self {
            Self::None if run.glances.is_empty() => false,
            Self::None => {
                *self = Self::Watched(Watch::default());
                true
            }
            Self::Watched(watch) => {
                let matters = watch.learn(run, from, symmetry);
                if matters {
                    *self = Self::Mattering;
                }
                matters
            }
            Self::Mattering => false,
        }
    }

    pub fn matter(&self) -> bool {
        matches!(self, Self::Mattering)
    }
}

impl Watch {
    fn learn(&mut self, run: &Execution<'_>, from: usize, symmetry: bool) -> bool {
        let mut held: Vec<(ThreadId, Lock)> = Vec::new();
        let mut youngest = ThreadId::MAIN;
        let mut matters = false;
        for (place, event) in run.events.iter().enumerate() {
            let glanced = run.glances.contains(&(place as u32));
            for access in run.accesses_of(event) {
                let writes = access.kind.writes() && place >= from;
                if !writes && !glanced {
                    continue;
                }
                let own = held.iter().filter(|(thread, _)| *thread == event.thread);
                let (thread, addr, end) = (event.thread, access.addr, access.end());
                let locks = own.map(|(_, lock)| *lock).collect();
                let touched = Touched { thread, addr, end, locks, youngest };
                if writes {
                    matters |=
                        self.glances.iter().any(|glance| glance.may_race(&touched, symmetry));
                    self.writes.insert(touched);
                } else {
                    matters |= self.writes.iter().any(|write| touched.may_race(write, symmetry));
                    self.glances.insert(touched);
                }
            }
            if let Op::Create { child } = event.op {
                youngest = youngest.max(child);
            }
            follow(&mut held, event);
        }
        matters
    }
}

/// Keeps account of who holds what.
fn follow(held: &mut Vec<(ThreadId, Lock)>, event: &Event) {
    let thread = event.thread;
    let shared = matches!(event.op, Op::ReadLock { .. } | Op::TryReadLock { .. });
    if let Op::Rewait { mutex: at, .. } = event.op {
        held.push((thread, Lock { at, shared }));
    }
    for hold in holds(event).into_iter().flatten() {
        let (Object::Mutex(at) | Object::RwLock(at)) = hold.object else { continue };
        if hold.acquired {
            held.push((thread, Lock { at, shared }));
        } else if event.outcome != Outcome::Released(false) {
            let own = held.iter().rposition(|(by, lock)| *by == thread && lock.at == at);
            own.map(|own| held.swap_remove(own));
        }
    }
}
