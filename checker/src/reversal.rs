//! Which events could have come before which others.
//!
//! For an event h, this finds the events x of other threads that are in a race with
//! it, and what else has to come before h if h is to come before x: those events,
//! behind x, are *kept*. The rest goes. There are two kinds of races.
//!
//! - x leaves h possible, h happened behind it, and no third event lies between them
//!   in the relation (see `happens`). What is kept is h's past without x. The race
//!   counts if h is possible there; it is not if x enables it, as an unlock does a
//!   lock.
//! - x makes h impossible: it takes the mutex, the last unit of the semaphore, or the
//!   read-write lock that h waits for, or it exits. Whatever becomes of h later, or if
//!   it never happens, it could have happened in the place of x, if it does not come
//!   after x by its own thread. What is kept is what h's thread has seen when it
//!   arrives at h. *All* such x count, not only the last.
//!
//! Everything on one mutex or semaphore that could be kept conflicts with x, so the
//! past of h is then the same whoever else has been there. Not so for a read-write
//! lock that x reads and h wants to write: other readers commute with x, and each set
//! of them that can have come and gone before h makes another trace. What these sets
//! are made of is given (see `family`).

use crate::{
    blocking::{apply_rwlock, changes, deciding, leaving, reads, rwlock_before, writes},
    clock::Clocks,
    dependence::Object,
    futex,
    rwlock::RwLock,
    sync::{Mutex, sem_after},
    trace::Trace,
};
use alloc::{collections::BTreeSet, vec::Vec};
use leno_model::{Event, Op};
use serde::{Deserialize, Serialize};

/// What stands with an event that is examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    Happened,
    /// It never happened, and could not at the end.
    Blocked,
    /// It never happened, because the execution was cut off before it.
    CutOff,
}

/// What is kept of the events behind the first of a race.
#[derive(Clone, Copy, Debug)]
pub enum Kept<'a> {
    /// Those that come before the event being examined, as far as its clock goes now.
    Past,
    These(&'a [u32]),
    /// The least set, and what may be added to it.
    Readers(&'a [u32], &'a [Vec<u32>]),
}

impl Kept<'_> {
    pub fn contains(&self, clocks: &Clocks, event: u32) -> bool {
        match self {
            Kept::Past => clocks.covers(event),
            Kept::These(events) | Kept::Readers(events, _) => events.binary_search(&event).is_ok(),
        }
    }

    /// The events that are kept behind the first of the race, in order; of readers the
    /// least set.
    pub fn events(&self, trace: &Trace, clocks: &Clocks, first: u32) -> Vec<u32> {
        match self {
            Kept::Past => {
                let mut kept = Vec::new();
                for thread in trace.threads() {
                    let past = &trace.events_of(thread)[..clocks.seen(thread) as usize];
                    kept.extend(&past[past.partition_point(|event| *event <= first)..]);
                }
                kept.sort_unstable();
                kept
            }
            Kept::These(events) | Kept::Readers(events, _) => events.to_vec(),
        }
    }
}

/// A race of an event with the one that is examined.
#[derive(Clone, Copy, Debug)]
pub struct Race<'a> {
    pub first: u32,
    pub kept: Kept<'a>,
    /// The first makes the other one impossible.
    pub blocks: bool,
}

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Reversals {
    clocks: Clocks,
    dependencies: Vec<u32>,
}

impl Reversals {
    /// Computes the clock of `event`, the trace's last, and calls `found` with its
    /// races. Only events before `limit` are looked at.
    pub fn examine(
        &mut self,
        trace: &Trace,
        event: u32,
        limit: u32,
        standing: Standing,
        mut found: impl FnMut(&Clocks, Race<'_>),
    ) {
        let e = trace.event(event);
        let clocks = &mut self.clocks;
        let before = limit.min(event);
        let previous = trace.previous(event);
        clocks.begin(previous);
        if let (None, Some(creation)) = (previous, trace.creation(e.thread)) {
            clocks.join(creation);
        }
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
            Op::Rewait { cond, .. } => match trace.waker(e.thread, cond, before) {
                Some(waker) => clocks.join(waker),
                None => return,
            },
            Op::FutexResume { .. } => match futex::waker(trace, e.thread, before) {
                Some(waker) => clocks.join(waker),
                None => return,
            },
            Op::BarrierLeave { barrier } => {
                let arrivals = leaving(trace, e.thread, barrier, before);
                arrivals.iter().for_each(|arrival| clocks.join(*arrival));
                if let Some(leave) = deciding(trace, &arrivals, e.thread) {
                    clocks.join(leave);
                }
                return;
            }
            _ => {}
        }
        blocking(trace, clocks, event, before, &mut found);
        if standing == Standing::Blocked {
            return;
        }
        trace.dependencies(event, limit, &mut self.dependencies);
        for first in self.dependencies.iter().copied() {
            if !clocks.covers(first) {
                if possible_without(trace, clocks, event, first) {
                    found(clocks, Race { first, kept: Kept::Past, blocks: false });
                }
                clocks.join(first);
            }
        }
    }

    pub fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// The event that was examined belongs to the trace.
    pub fn commit(&mut self, trace: &Trace, event: u32) {
        self.clocks.commit(trace.event(event).thread, trace.position(event));
    }

    pub fn truncate(&mut self, events: usize) {
        self.clocks.truncate(events);
    }
}

/// The races with what makes `event` impossible.
fn blocking(
    trace: &Trace,
    clocks: &Clocks,
    event: u32,
    before: u32,
    found: &mut impl FnMut(&Clocks, Race<'_>),
) {
    let blocks = |first| Race { first, kept: Kept::Past, blocks: true };
    match trace.event(event).op {
        Op::Lock { mutex, .. } | Op::Rewait { mutex, .. } => {
            let mut acquired = trace.hold_before(event, mutex, before).acquired;
            while let Some(first) = acquired.filter(|first| !clocks.covers(*first)) {
                found(clocks, blocks(first));
                acquired = trace.hold_before(first, mutex, first).acquired;
            }
        }
        Op::SemWait { sem } => {
            for first in trace.history(Object::Sem(sem), before) {
                let (value, left) = trace.values(sem, first);
                if clocks.covers(first) {
                    if changes(trace.event(first)) {
                        break;
                    }
                } else if value > 0 && left == 0 {
                    found(clocks, blocks(first));
                }
            }
        }
        Op::ReadLock { rwlock } => {
            let changes = trace.changes(Object::RwLock(rwlock), before);
            let later = changes.take_while(|first| !clocks.covers(*first));
            for first in later.filter(|first| writes(trace.event(*first))) {
                found(clocks, blocks(first));
            }
        }
        Op::WriteLock { rwlock } => {
            for first in trace.history(Object::RwLock(rwlock), before) {
                let e = trace.event(first);
                if clocks.covers(first) {
                    if changes(e) {
                        break;
                    }
                } else if writes(e) {
                    found(clocks, blocks(first));
                } else if reads(e) {
                    let readers = Readers { trace, clocks, rwlock, first, before };
                    if let Some((least, parts)) = readers.sets() {
                        let kept = Kept::Readers(&least, &parts);
                        found(clocks, Race { kept, ..blocks(first) });
                    }
                }
            }
        }
        _ => {}
    }
}

/// Whether the event is possible in the place of `first`: before it, and after what is
/// kept of the events behind it.
fn possible_without(trace: &Trace, clocks: &Clocks, event: u32, first: u32) -> bool {
    let without = Without { trace, clocks, event, first };
    let thread = trace.event(event).thread;
    match trace.event(event).op {
        Op::Lock { mutex, .. } | Op::Rewait { mutex, .. } => without.mutex(mutex).lockable(thread),
        Op::SemWait { sem } => without.sem(sem) > 0,
        Op::ReadLock { rwlock } => without.rwlock(rwlock).readable(),
        Op::WriteLock { rwlock } => without.rwlock(rwlock).writable(),
        _ => true,
    }
}

/// The event as it would come out in the place of `first`, as far as synchronisation
/// objects decide that.
pub fn event_without(
    trace: &Trace,
    clocks: &Clocks,
    event: u32,
    first: u32,
    kept: Kept<'_>,
) -> Event {
    let e = *trace.event(event);
    if !depends_on_objects(&e.op) {
        return e;
    }
    let mut sync = trace.sync_before(first);
    for other in kept.events(trace, clocks, first).iter().map(|other| trace.event(*other)) {
        sync.apply(other.thread, &other.op, other.choice);
    }
    let mut op = e.op;
    sync.settle(e.thread, &mut op);
    Event { op, outcome: sync.apply(e.thread, &op, 0), ..e }
}

/// Whether the state of its objects decides how an operation that is possible comes out.
fn depends_on_objects(op: &Op) -> bool {
    matches!(
        op,
        Op::TryLock { .. }
            | Op::Unlock { .. }
            | Op::Wait { .. }
            | Op::Signal { .. }
            | Op::Unwait { .. }
            | Op::TryReadLock { .. }
            | Op::TryWriteLock { .. }
            | Op::RwUnlock { .. }
            | Op::SemTryWait { .. }
            | Op::SemPost { .. }
            | Op::SemValue { .. }
            | Op::BarrierArrive { .. }
            | Op::BarrierLeave { .. }
            | Op::FutexLeave { .. }
            | Op::FutexWake { .. }
            | Op::FutexWakeAll { .. }
            | Op::FutexRequeue { .. }
    )
}

/// The state of objects in the place of `first`, when it and what is not kept behind it
/// is gone.
struct Without<'a> {
    trace: &'a Trace,
    clocks: &'a Clocks,
    event: u32,
    first: u32,
}

impl Without<'_> {
    fn keeps(&self, other: u32) -> bool {
        other < self.first || (other != self.first && self.clocks.covers(other))
    }

    /// What is left of an object's history behind `first`, the latest last.
    fn history(&self, object: Object) -> Vec<u32> {
        let history = self.trace.history(object, self.event);
        let history = history.take_while(|other| *other > self.first);
        let mut left: Vec<u32> = history.filter(|other| self.keeps(*other)).collect();
        left.reverse();
        left
    }

    fn mutex(&self, mutex: u64) -> Mutex {
        self.trace.hold_after_kept(self.event, mutex, |other| self.keeps(other)).mutex
    }

    fn sem(&self, sem: u64) -> u32 {
        let apply = |value, other: &u32| sem_after(value, &self.trace.event(*other).op);
        let behind = self.history(Object::Sem(sem));
        behind.iter().fold(self.trace.value(sem, self.first), apply)
    }

    fn rwlock(&self, rwlock: u64) -> RwLock {
        let mut lock = rwlock_before(self.trace, rwlock, self.first);
        for other in self.history(Object::RwLock(rwlock)) {
            apply_rwlock(&mut lock, self.trace.event(other));
        }
        lock
    }
}

/// The sets of readers that can have come and gone before a `WriteLock` that takes the
/// place of `first`, an acquisition for reading.
struct Readers<'a> {
    trace: &'a Trace,
    /// With the clock of the `WriteLock`'s thread.
    clocks: &'a Clocks,
    rwlock: u64,
    first: u32,
    before: u32,
}

impl Readers<'_> {
    /// The least set, and what each reader that may come in addition adds to it.
    fn sets(&self) -> Option<(Vec<u32>, Vec<Vec<u32>>)> {
        let behind = self.first + 1..self.before;
        let own = behind.clone().filter(|event| self.clocks.covers(*event)).collect();
        let least = self.all_gone(own)?;
        let others = behind.filter(|event| self.is_reader(*event) && !least.contains(event));
        let with = |reader| {
            let mut more = least.clone();
            self.add(&mut more, reader);
            Some(self.all_gone(more)?.into_iter().collect())
        };
        let parts = others.filter_map(with).collect();
        Some((least.into_iter().collect(), parts))
    }

    fn is_reader(&self, event: u32) -> bool {
        let e = self.trace.event(event);
        reads(e) && e.op.objects().contains(&Some(self.rwlock)) && self.may_stay(event)
    }

    /// Does not come after `first`.
    fn may_stay(&self, event: u32) -> bool {
        !self.clocks.ordered(self.first, event)
    }

    /// Adds the event with its past.
    fn add(&self, set: &mut BTreeSet<u32>, event: u32) {
        let past = (self.first + 1..event).filter(|other| self.clocks.ordered(*other, event));
        set.extend(past);
        set.insert(event);
    }

    /// The set with the unlocks of all who read in it; none if one of them comes after
    /// `first`, or never.
    fn all_gone(&self, mut set: BTreeSet<u32>) -> Option<BTreeSet<u32>> {
        let Self { trace, rwlock, .. } = *self;
        loop {
            let mut lock = rwlock_before(trace, rwlock, self.first);
            for event in set.iter().map(|event| trace.event(*event)) {
                if event.op.objects().contains(&Some(rwlock)) {
                    apply_rwlock(&mut lock, event);
                }
            }
            if lock.writable() {
                return Some(set);
            }
            let reader = lock.readers().next()?;
            let unlock = (self.first + 1..self.before).find(|event| {
                let e = trace.event(*event);
                e.thread == reader && e.op == Op::RwUnlock { rwlock } && !set.contains(event)
            });
            let unlock = unlock.filter(|unlock| self.may_stay(*unlock))?;
            self.add(&mut set, unlock);
        }
    }
}
