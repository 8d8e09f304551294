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
//! it, up to what decides how it goes on, is no glance: the round that is not removed, which
//! must be there if the thread gets away, begins with it too. But what decides may itself touch
//! something else each time (a string that has become shorter), or only read where it has put
//! back what it found (a compare-exchange that fails): then it is one.
//!
//! Such races are rare, and glances are not. So the search only looks out for one: a glance, and
//! a write to the same bytes by another thread that may be there at the same time and has no lock
//! in common with it, of which not both are atomic. (If there is the execution that was not
//! explored, then each of them is in one that is: the glance in the beginning that was dropped,
//! the write in what remains without the round.) When it meets such a pair, the search begins
//! anew and is *patient*: each thread may go round a loop once more. That is enough, since a race
//! needs one round; in the shortest execution that shows it no other is left that could be
//! removed.
//!
//! What was written before the first glance is not known, so with that the search begins anew
//! as well. Where what is symmetric was cut, glance and write may be seen in executions that have
//! threads exchanged, each in another way: then a thread that has changed places may stand for
//! any other that has, and so may memory.

use crate::{awaits::holds, dependence::Object};
use alloc::vec::Vec;
use hashbrown::HashSet;
use leno_model::{End, Event, Exchanged, Execution, Op, Outcome, ThreadId};
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
    /// There are glances that put back what they found: they may be in a race with a plain read.
    /// So the plain reads count as writes here.
    kept: bool,
    symmetry: Symmetry,
}

/// What may be told of executions that were not explored because they are symmetric.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
struct Symmetry {
    /// Threads that have changed places.
    threads: HashSet<ThreadId>,
    /// Memory that has changed places with threads.
    moves: HashSet<(u64, u64)>,
}

impl Symmetry {
    /// Whether the thread, or one that it may stand for, is one of the first of all.
    fn is_among(&self, thread: ThreadId, youngest: ThreadId) -> bool {
        let exchanged = self.threads.contains(&thread);
        thread <= youngest || (exchanged && self.threads.iter().any(|other| *other <= youngest))
    }

    fn may_move(&self, addr: u64, end: u64) -> bool {
        self.moves.iter().any(|(first, last)| addr < *last && *first < end)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
struct Touched {
    thread: ThreadId,
    addr: u64,
    end: u64,
    atomic: bool,
    modifies: bool,
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

impl Lock {
    fn excludes(&self, other: &Self) -> bool {
        self.at == other.at && !(self.shared && other.shared)
    }
}

impl Touched {
    /// Whether a glance and a write may be in a race.
    fn may_race(&self, write: &Touched, symmetry: &Symmetry) -> bool {
        let differ = self.thread != write.thread || symmetry.threads.contains(&self.thread);
        let overlap = self.addr < write.end && write.addr < self.end;
        let moves = |touched: &Self| symmetry.may_move(touched.addr, touched.end);
        let excludes = |own: &Lock| {
            !symmetry.may_move(own.at, own.at + 1)
                && write.locks.iter().any(|lock| own.excludes(lock))
        };
        differ
            && symmetry.is_among(self.thread, write.youngest)
            && !(self.atomic && write.atomic)
            && (self.modifies || write.modifies)
            && (overlap || (moves(self) && moves(write)))
            && !self.locks.iter().any(excludes)
    }
}

impl Glances {
    /// Takes in an execution; what it has done before the event `from` is known. Says whether
    /// the search has to begin anew.
    #[must_use]
    pub fn learn(&mut self, run: &Execution<'_>, from: usize) -> bool {
        match self {
            Self::None if run.glances.is_empty() => false,
            Self::None => {
                *self = Self::Watched(Watch::default());
                true
            }
            Self::Watched(watch) if !watch.kept && has_kept(run) => {
                *self = Self::Watched(Watch { kept: true, ..Watch::default() });
                true
            }
            Self::Watched(watch) => {
                let matters = watch.learn(run, from);
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
    fn learn(&mut self, run: &Execution<'_>, from: usize) -> bool {
        let mut held: Vec<(ThreadId, Lock)> = Vec::new();
        let mut youngest = ThreadId::MAIN;
        let glanced: HashSet<u32> = run.glances.iter().copied().collect();
        let mut matters = self.learn_symmetry(run);
        for (place, event) in run.events.iter().enumerate() {
            let glances = glanced.contains(&(place as u32));
            for access in run.accesses_of(event) {
                let plain = access.atomic.is_none();
                let modifies = access.kind.modifies();
                let writes = place >= from && (modifies || (self.kept && plain));
                if !writes && !glances {
                    continue;
                }
                let own = held.iter().filter(|(thread, _)| *thread == event.thread);
                let (thread, addr, end) = (event.thread, access.addr, access.end());
                let locks = own.map(|(_, lock)| *lock).collect();
                let atomic = !plain;
                let touched = Touched { thread, addr, end, atomic, modifies, locks, youngest };
                let Self { glances: all, writes: rivals, symmetry, .. } = self;
                if glances && all.insert(touched.clone()) {
                    matters |= rivals.iter().any(|write| touched.may_race(write, symmetry));
                }
                if writes && rivals.insert(touched.clone()) {
                    matters |= all.iter().any(|glance| glance.may_race(&touched, symmetry));
                }
            }
            if let Op::Create { child } = event.op {
                youngest = youngest.max(child);
            }
            follow(&mut held, event);
        }
        matters
    }

    /// Takes in what changes places. Whether that tells of a race that was none before.
    fn learn_symmetry(&mut self, run: &Execution<'_>) -> bool {
        let End::Symmetric { thread, to, .. } = run.end else { return false };
        let Self { glances, writes, symmetry, .. } = self;
        let before = (symmetry.threads.len(), symmetry.moves.len());
        symmetry.threads.extend([thread, to]);
        symmetry.threads.extend(run.children.iter().flat_map(|(a, b)| [*a, *b]));
        for Exchanged { at, to, len } in run.exchanged {
            symmetry.moves.extend([(*at, at + len), (*to, to + len)]);
        }
        before != (symmetry.threads.len(), symmetry.moves.len())
            && glances.iter().any(|glance| writes.iter().any(|w| glance.may_race(w, symmetry)))
    }
}

/// Whether an execution has a glance that puts back what it found.
fn has_kept(run: &Execution<'_>) -> bool {
    let glances = run.glances.iter().map(|place| &run.events[*place as usize]);
    glances.flat_map(|event| run.accesses_of(event)).any(|access| access.kind.modifies())
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
