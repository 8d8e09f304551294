//! The execution that a search stands on, indexed by what its events touch.
//!
//! It is a stack: an execution shares a prefix with the one before it, so the
//! events of the old end are popped and those of the new one pushed. The index is
//! one chain of entries for each object and each line of memory, the latest first;
//! an event's own entries point to those before it. Popping an event restores the
//! heads of its chains, and nothing ever has to be recomputed.

use crate::{
    awaits::{ends_wait, seen},
    dependence::{Object, Touch, accesses_conflict, same_round, touches, tried},
    sync::{Mutex, sem_after},
};
use alloc::vec::Vec;
use core::ops::Range;
use hashbrown::HashMap;
use leno_model::{Access, AccessKind, Event, MutexKind, Op, Order, Outcome, ThreadId};
use serde::{Deserialize, Serialize};

/// Bytes of memory in one chain. A line is the unit of search only; what conflicts
/// is decided by bytes.
const LINE: u64 = 64;
/// An event with an access of more lines than this is in no chain of lines but in
/// a list of its own, which every other event looks through.
const LONG: u64 = 64;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
enum Key {
    Line(u64),
    Object(Object),
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Entry {
    key: Key,
    touch: Touch,
    event: u32,
    /// The entry before it in its chain.
    previous: Option<u32>,
    /// The last one before it that changes: what reads need not look at other reads.
    previous_change: Option<u32>,
    /// For a mutex: the place of its [`Hold`]. For a semaphore: its value after it.
    hold: u32,
    /// Of a line: this event or one before it in the chain has an access that is plain, or
    /// weaker than sequentially consistent.
    loud: bool,
}

/// A mutex after an event, with the events that made it so.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Hold {
    pub mutex: Mutex,
    /// The event that last took it when it was free.
    pub acquired: Option<u32>,
    /// The event that freed it, if it has been held since it was made and is free.
    pub freed: Option<u32>,
    /// The last unlock or wait that released it.
    pub released: Option<u32>,
    /// Its kind is known: it was initialised, or locked.
    known: bool,
}

const UNTOUCHED: Hold = Hold {
    mutex: Mutex { owner: None, depth: 0, kind: MutexKind::Normal },
    acquired: None,
    freed: None,
    released: None,
    known: false,
};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Record {
    /// Where the event's footprint ends in `accesses`: its own, then the iteration's.
    footprint_end: u32,
    first_entry: u32,
    first_hold: u32,
    long: bool,
    /// Threads alive after it.
    alive: u32,
}

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Trace {
    events: Vec<Event>,
    records: Vec<Record>,
    accesses: Vec<Access>,
    entries: Vec<Entry>,
    heads: HashMap<Key, u32>,
    holds: Vec<Hold>,
    /// Events with long accesses.
    long: Vec<u32>,
    by_thread: Vec<Vec<u32>>,
    created: Vec<Option<u32>>,
}

impl Trace {
    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn event(&self, event: u32) -> &Event {
        &self.events[event as usize]
    }

    /// The event's own accesses.
    pub fn accesses(&self, event: u32) -> &[Access] {
        let e = self.event(event);
        &self.accesses[e.first_access as usize..][..e.access_count as usize]
    }

    /// What the event depends on in memory: its accesses, what it might have accessed
    /// instead and, if it was awaited, all that the iteration read.
    pub fn footprint(&self, event: u32) -> &[Access] {
        let first = self.event(event).first_access as usize;
        &self.accesses[first..self.records[event as usize].footprint_end as usize]
    }

    /// The thread's events in their order.
    pub fn events_of(&self, thread: ThreadId) -> &[u32] {
        self.by_thread.get(thread.index()).map_or(&[], |events| events)
    }

    /// All threads that have numbers here; some may have no events.
    pub fn threads(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.by_thread.len() as u32).map(ThreadId)
    }

    /// The event's place among its thread's, from 1.
    pub fn position(&self, event: u32) -> u32 {
        let of_thread = self.events_of(self.event(event).thread);
        // Mostly asked for the newest event.
        match of_thread.last() {
            Some(last) if *last == event => of_thread.len() as u32,
            _ => of_thread.partition_point(|e| *e <= event) as u32,
        }
    }

    /// The event before it in its thread.
    pub fn previous(&self, event: u32) -> Option<u32> {
        let place = self.position(event) as usize - 1;
        let before = place.checked_sub(1)?;
        Some(self.events_of(self.event(event).thread)[before])
    }

    /// The event that created the thread.
    pub fn creation(&self, thread: ThreadId) -> Option<u32> {
        self.created.get(thread.index()).copied().flatten()
    }

    /// Threads alive after the last event.
    pub fn alive(&self) -> u32 {
        self.records.last().map_or(1, |record| record.alive)
    }

    /// Adds an event. `others`: what it might have accessed besides (see `repertoire`).
    pub fn push(&mut self, event: &Event, accesses: &[Access], others: &[Access]) {
        let place = self.events.len() as u32;
        let thread = event.thread;
        let first_access = self.accesses.len() as u32;
        self.accesses.extend_from_slice(accesses);
        self.accesses.extend_from_slice(others);
        let iteration = self.iteration(thread, event.iteration);
        for of_thread in iteration.clone() {
            let read = self.by_thread[thread.index()][of_thread];
            for k in 0..self.accesses(read).len() {
                let read = Access { kind: AccessKind::Read, ..self.accesses(read)[k] };
                self.accesses.push(read);
            }
            let objects = seen(self.event(read));
            self.accesses.extend(objects.filter_map(Object::triable).map(tried));
        }
        let long =
            self.accesses[first_access as usize..].iter().any(|a| lines(a).count() as u64 > LONG);
        let alive = match event.op {
            Op::Create { .. } => self.alive() + 1,
            Op::End => self.alive() - 1,
            _ => self.alive(),
        };
        self.records.push(Record {
            footprint_end: self.accesses.len() as u32,
            first_entry: self.entries.len() as u32,
            first_hold: self.holds.len() as u32,
            long,
            alive,
        });
        self.events.push(Event { first_access, access_count: accesses.len() as u32, ..*event });

        if long {
            self.long.push(place);
        } else {
            self.index_memory(place);
        }
        for of_thread in iteration {
            let read = self.event(self.by_thread[thread.index()][of_thread]);
            for object in seen(read) {
                self.index(Key::Object(object), Touch::Looks, place);
            }
        }
        for (object, touch) in touches(&event.op, event.outcome).into_iter().flatten() {
            self.index(Key::Object(object), touch, place);
        }
        if let Op::Create { child } = event.op {
            grow(&mut self.created, child.index());
            self.created[child.index()] = Some(place);
            grow(&mut self.by_thread, child.index());
        }
        grow(&mut self.by_thread, thread.index());
        self.by_thread[thread.index()].push(place);
    }

    pub fn truncate(&mut self, len: usize) {
        while self.events.len() > len {
            let event = self.events.pop().expect("longer than `len`");
            let record = self.records.pop().expect("one for each event");
            for entry in self.entries.drain(record.first_entry as usize..).rev() {
                match entry.previous {
                    Some(previous) => *self.heads.get_mut(&entry.key).expect("entered") = previous,
                    None => drop(self.heads.remove(&entry.key)),
                }
            }
            self.holds.truncate(record.first_hold as usize);
            self.accesses.truncate(event.first_access as usize);
            if record.long {
                self.long.pop();
            }
            if let Op::Create { child } = event.op {
                self.created[child.index()] = None;
            }
            self.by_thread[event.thread.index()].pop();
        }
    }

    /// The places, among the thread's events, of the last `length` of them.
    fn iteration(&self, thread: ThreadId, length: u32) -> Range<usize> {
        let events = self.events_of(thread).len();
        events - length as usize..events
    }

    fn index_memory(&mut self, event: u32) {
        let first = self.event(event).first_access as usize;
        let first_entry = self.entries.len();
        for k in first..self.accesses.len() {
            let access = self.accesses[k];
            let touch = if access.kind.writes() { Touch::Changes } else { Touch::Looks };
            for line in lines(&access) {
                let key = Key::Line(line);
                let entered = self.entries[first_entry..].iter().position(|e| e.key == key);
                if entered.is_none() {
                    self.index(key, touch, event);
                }
                let place = entered.map_or(self.entries.len() - 1, |place| first_entry + place);
                let entry = &mut self.entries[place];
                entry.loud |= !is_quiet(&access);
                if touch == Touch::Changes {
                    entry.touch = touch;
                }
            }
        }
    }

    fn index(&mut self, key: Key, touch: Touch, event: u32) {
        let place = self.entries.len() as u32;
        let previous = self.heads.insert(key, place);
        let mut hold = self.holds.len() as u32;
        if let Key::Object(Object::Sem(_)) = key {
            let before = previous.map_or(0, |previous| self.entries[previous as usize].hold);
            hold = if touch == Touch::Looks {
                before
            } else {
                sem_after(before, &self.event(event).op)
            };
        }
        if let Key::Object(Object::Mutex(_)) = key {
            let before =
                previous.map_or(UNTOUCHED, |p| self.holds[self.entries[p as usize].hold as usize]);
            // An entry that only looks may stand for another event's attempt.
            let after = if touch == Touch::Looks { before } else { self.hold_after(before, event) };
            self.holds.push(after);
        }
        let previous_change = previous.and_then(|place| {
            let before = &self.entries[place as usize];
            if before.touch == Touch::Changes { Some(place) } else { before.previous_change }
        });
        let loud = previous.is_some_and(|place| self.entries[place as usize].loud);
        self.entries.push(Entry { key, touch, event, previous, previous_change, hold, loud });
    }

    fn hold_after(&self, before: Hold, event: u32) -> Hold {
        let Event { thread, op, outcome, .. } = *self.event(event);
        let mut hold = before;
        let mutex = &mut hold.mutex;
        match op {
            Op::Lock { kind, .. } | Op::TryLock { kind, .. } => {
                if !core::mem::replace(&mut hold.known, true) {
                    mutex.kind = kind;
                }
                if outcome == Outcome::Acquired(true) && !mutex.lock(thread) {
                    // Its memory was freed and is a new mutex now.
                    mutex.acquire(thread);
                }
            }
            Op::Unlock { .. } | Op::Wait { .. } => drop(mutex.unlock(thread)),
            Op::Rewait { .. } => mutex.lock_again(thread),
            Op::MutexInit { kind, .. } => (*mutex, hold.known) = (Mutex::new(kind), true),
            Op::MutexDestroy { .. } => {
                (*mutex, hold.known) = (Mutex::new(MutexKind::Normal), false);
            }
            _ => {}
        }
        match (before.mutex.owner, hold.mutex.owner) {
            (before, Some(owner)) if before != Some(owner) => {
                (hold.acquired, hold.freed) = (Some(event), None);
            }
            (Some(_), None) => {
                hold.freed = Some(event);
                if matches!(op, Op::Unlock { .. } | Op::Wait { .. }) {
                    hold.released = Some(event);
                }
            }
            _ => {}
        }
        hold
    }

    fn entries_of(&self, event: u32) -> &[Entry] {
        let first =
            |e: usize| self.records.get(e).map_or(self.entries.len(), |r| r.first_entry as usize);
        &self.entries[first(event as usize)..first(event as usize + 1)]
    }

    /// The chain behind an entry, from `limit` down.
    fn chain(&self, entry: &Entry, limit: u32) -> impl Iterator<Item = &Entry> {
        let at = |place: Option<u32>| place.map(|place| &self.entries[place as usize]);
        core::iter::successors(at(entry.previous), move |entry| at(entry.previous))
            .skip_while(move |entry| entry.event >= limit)
    }

    /// Of the chain behind an entry of memory what may conflict with it, from `limit` down.
    fn conflicting(&self, own: &Entry, limit: u32) -> impl Iterator<Item = &Entry> {
        let changes_only = own.touch == Touch::Looks;
        let before = move |entry: &Entry| {
            let place = if changes_only { entry.previous_change } else { entry.previous };
            place.map(|place| &self.entries[place as usize])
        };
        core::iter::successors(before(own), move |entry| before(entry))
            .skip_while(move |entry| entry.event >= limit)
    }

    /// The state of the event's mutex before it, or before `limit`.
    pub fn hold_before(&self, event: u32, mutex: u64, limit: u32) -> Hold {
        let key = Key::Object(Object::Mutex(mutex));
        let own = self.entries_of(event).iter().find(|entry| entry.key == key);
        let before = own.and_then(|own| self.chain(own, limit.min(event)).next());
        before.map_or(UNTOUCHED, |entry| self.holds[entry.hold as usize])
    }

    /// The state of the event's mutex after the last event before it that is kept.
    pub fn hold_after_kept(&self, event: u32, mutex: u64, keep: impl Fn(u32) -> bool) -> Hold {
        let key = Key::Object(Object::Mutex(mutex));
        let own = self.entries_of(event).iter().find(|entry| entry.key == key);
        let last = own.and_then(|own| self.chain(own, event).find(|entry| keep(entry.event)));
        last.map_or(UNTOUCHED, |entry| self.holds[entry.hold as usize])
    }

    /// The state of a mutex now.
    pub fn hold(&self, mutex: u64) -> Hold {
        let head = self.heads.get(&Key::Object(Object::Mutex(mutex)));
        head.map_or(UNTOUCHED, |head| self.holds[self.entries[*head as usize].hold as usize])
    }

    /// The entries of an object before an event, the latest first.
    fn chain_of(&self, object: Object, before: u32) -> impl Iterator<Item = &Entry> {
        let at = |place: Option<u32>| place.map(|place| &self.entries[place as usize]);
        let head = self.heads.get(&Key::Object(object)).copied();
        let chain = core::iter::successors(at(head), move |entry| at(entry.previous));
        chain.skip_while(move |entry| entry.event >= before)
    }

    /// The events before this one that touch the object, the latest first. Awaited
    /// events have another entry for what their iteration tried.
    pub fn history(&self, object: Object, before: u32) -> impl Iterator<Item = u32> {
        let touches_it = move |entry: &&Entry| {
            let Event { op, outcome, .. } = *self.event(entry.event);
            touches(&op, outcome).into_iter().flatten().any(|touch| touch == (object, entry.touch))
        };
        let mut last = None;
        let events = self.chain_of(object, before).filter(touches_it).map(|entry| entry.event);
        events.filter(move |event| last.replace(*event) != Some(*event))
    }

    /// The value of a semaphore before an event.
    pub fn value(&self, sem: u64, before: u32) -> u32 {
        self.chain_of(Object::Sem(sem), before).next().map_or(0, |entry| entry.hold)
    }

    /// The value of a semaphore before and after an event that touches it.
    pub fn values(&self, sem: u64, event: u32) -> (u32, u32) {
        let key = Key::Object(Object::Sem(sem));
        let mut own = self.entries_of(event).iter().filter(|entry| entry.key == key);
        let (Some(first), last) = (own.next(), own.next_back()) else { return (0, 0) };
        let before = first.previous.map_or(0, |place| self.entries[place as usize].hold);
        (before, last.unwrap_or(first).hold)
    }

    /// The thread's last wait before an event.
    fn wait_before(&self, thread: ThreadId, before: u32) -> Option<u32> {
        let of_thread = self.events_of(thread);
        let past = &of_thread[..of_thread.partition_point(|e| *e < before)];
        past.iter().rev().copied().find(|e| matches!(self.event(*e).op, Op::Wait { .. }))
    }

    /// The event that woke the thread from its last wait for `cond`; `before` is where
    /// to stop looking.
    pub fn waker(&self, thread: ThreadId, cond: u64, before: u32) -> Option<u32> {
        let wait = self.wait_before(thread, before)?;
        let mut waker = None;
        let since = self.history(Object::Cond(cond), before);
        for entry in since.take_while(|entry| *entry > wait) {
            let event = self.event(entry);
            match event.op {
                Op::Broadcast { .. } => waker = Some(entry),
                Op::Signal { .. } if event.outcome == Outcome::Woken(Some(thread)) => {
                    waker = Some(entry);
                }
                // Whoever waited then is waited for by nobody.
                Op::CondInit { .. } | Op::CondDestroy { .. } => waker = None,
                _ => {}
            }
        }
        waker
    }

    /// Collects the events before `limit` that the event depends on through an
    /// object or memory, the latest first; those that are certain to come before
    /// another one in the list may be missing.
    pub fn dependencies(&self, event: u32, limit: u32, found: &mut Vec<u32>) {
        found.clear();
        let footprint = self.footprint(event);
        if self.records[event as usize].long {
            let conflicts = |e: &u32| accesses_conflict(self.footprint(*e), footprint);
            found.extend((0..limit.min(event)).filter(conflicts));
        } else if !footprint.is_empty() {
            let before = self.long.iter().copied().filter(|e| *e < limit.min(event));
            found.extend(before.filter(|e| accesses_conflict(self.footprint(*e), footprint)));
        }
        let outcome = self.event(event).outcome;
        for own in self.entries_of(event) {
            if let Key::Line(line) = own.key {
                for entry in self.conflicting(own, limit.min(event)) {
                    let theirs = self.footprint(entry.event);
                    if accesses_conflict(theirs, footprint) {
                        found.push(entry.event);
                        if hides(theirs, footprint, line) {
                            break;
                        }
                    }
                }
                continue;
            }
            let mut nearest = outcome;
            for entry in self.chain(own, limit.min(event)) {
                let theirs = self.event(entry.event).outcome;
                if own.touch.conflicts(entry.touch) {
                    found.push(entry.event);
                } else if !same_round(outcome, theirs) {
                    // The rounds before the last one come before all of it.
                    if nearest != outcome && !same_round(nearest, theirs) {
                        break;
                    }
                    nearest = theirs;
                    found.push(entry.event);
                }
                if entry.touch == Touch::Changes {
                    break;
                }
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
    }

    /// The one event without which an awaited event would not be enabled; none if
    /// there are several that would do.
    pub fn only_enabler(&self, event: u32, limit: u32) -> Option<u32> {
        let thread = self.event(event).thread;
        let of_thread = self.events_of(thread);
        let end = self.position(event) as usize - 1;
        let iteration = &of_thread[end - self.event(event).iteration as usize..end];
        let first = *iteration.first()?;
        let mut only = None;
        let mut candidates = |candidate: u32| {
            let (event, accesses) = (self.event(candidate), self.accesses(candidate));
            let enables = iteration.iter().any(|read| {
                *read < candidate
                    && ends_wait(self.event(*read), self.accesses(*read), event, accesses)
            });
            let another = enables && only.is_some_and(|known| known != candidate);
            if enables {
                only = Some(candidate);
            }
            !another
        };
        let long = self.long.iter().copied().filter(|e| *e > first && *e < limit.min(event));
        let chains = self.entries_of(event).iter().flat_map(|own| {
            let chain = self.chain(own, limit.min(event)).map(|entry| entry.event);
            chain.take_while(|e| *e > first)
        });
        let all = if self.records[event as usize].long {
            (first + 1..limit.min(event)).all(&mut candidates)
        } else {
            long.chain(chains).all(&mut candidates)
        };
        only.filter(|_| all)
    }

    /// Calls `visit` with the events before this one that share a line with it and may
    /// conflict, the latest first in each line, until it says false; and with those that
    /// are long.
    pub fn neighbours(&self, event: u32, visit: impl FnMut(u32) -> bool) {
        self.visit_neighbours(event, false, visit);
    }

    /// The same, but for those between which and the event there is nothing but accesses
    /// that are sequentially consistent: there is no race.
    pub fn rivals(&self, event: u32, visit: impl FnMut(u32) -> bool) {
        self.visit_neighbours(event, self.accesses(event).iter().all(is_quiet), visit);
    }

    fn visit_neighbours(&self, event: u32, loud_only: bool, mut visit: impl FnMut(u32) -> bool) {
        if self.records[event as usize].long {
            (0..event).rev().all(&mut visit);
            return;
        }
        if self.event(event).access_count == 0 {
            return;
        }
        self.long.iter().rev().copied().filter(|e| *e < event).all(&mut visit);
        for own in self.entries_of(event) {
            if let Key::Line(_) = own.key {
                let chain = self.conflicting(own, event);
                let chain = chain.take_while(|entry| entry.loud || !loud_only);
                chain.map(|entry| entry.event).all(&mut visit);
            }
        }
    }
}

fn is_quiet(access: &Access) -> bool {
    access.atomic == Some(Order::SeqCst)
}

/// The lines that an access lies in.
fn lines(access: &Access) -> impl ExactSizeIterator<Item = u64> + use<> {
    let first = access.addr / LINE;
    let end = if access.len == 0 { first } else { (access.end() - 1) / LINE + 1 };
    (0..(end - first) as usize).map(move |k| first + k as u64)
}

/// Whether `earlier` writes, in one piece, everything of `later` in this line: then
/// whatever conflicts with `later` there and is earlier still comes before `earlier`.
fn hides(earlier: &[Access], later: &[Access], line: u64) -> bool {
    let (from, to) = (line * LINE, line * LINE + (LINE - 1));
    let here = |a: &Access| (a.addr.max(from), (a.end() - 1).min(to));
    let inside = later.iter().filter(|a| a.len > 0).map(here).filter(|(first, last)| first <= last);
    let (first, last) =
        inside.fold((u64::MAX, 0), |(f, l), (first, last)| (f.min(first), l.max(last)));
    earlier.iter().any(|w| w.kind.writes() && w.addr <= first && w.end() > last)
}

fn grow<T: Default>(list: &mut Vec<T>, place: usize) {
    if list.len() <= place {
        list.resize_with(place + 1, T::default);
    }
}
