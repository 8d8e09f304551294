//! The execution that a search stands on, indexed by what its events touch.
//!
//! It is a stack: an execution shares a prefix with the one before it, so the
//! events of the old end are popped and those of the new one pushed. The index is
//! one chain of entries for each object, the latest first, and what `memory` has; an
//! event's own entries point to those before it. Popping an event restores the
//! heads of its chains, and nothing ever has to be recomputed.

use crate::{
    checkpoints::Checkpoints,
    dependence::{Object, Touch, same_round, touches},
    memory::{Memory, Touched},
    sync::{Mutex, SyncState, sem_after},
};
use alloc::vec::Vec;
use hashbrown::HashMap;
use leno_model::{Access, Event, MutexKind, Op, Order, Outcome, ThreadId, object::OUTSIDE};
use serde::{Deserialize, Serialize};

/// The end of a chain: an entry that is not there.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Entry {
    object: Object,
    touch: Touch,
    event: u32,
    /// Which chain it is in, and the entry before it there.
    chain: u32,
    previous: u32,
    /// The last one before it that has another touch.
    different: u32,
    /// For a mutex: the place of its [`Hold`]. For a semaphore: its value after it.
    hold: u32,
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
}

const UNTOUCHED: Hold = Hold {
    mutex: Mutex { owner: None, depth: 0, kind: MutexKind::Normal },
    acquired: None,
    freed: None,
    released: None,
};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Record {
    /// Where the event's footprint ends in `accesses`: its own, then the others.
    footprint_end: u32,
    first_entry: u32,
    first_hold: u32,
    first_memory: u32,
    /// The event is its thread's how-manieth, from 1.
    position: u32,
    /// Threads alive after it.
    alive: u32,
}

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Trace {
    events: Vec<Event>,
    records: Vec<Record>,
    accesses: Vec<Access>,
    memory: Memory,
    entries: Vec<Entry>,
    /// The chain of each object. They stay when they become empty.
    chains: HashMap<Object, u32>,
    /// The last entry of each chain.
    heads: Vec<u32>,
    holds: Vec<Hold>,
    by_thread: Vec<Vec<u32>>,
    created: Vec<Option<u32>>,
    #[serde(skip)]
    checkpoints: Checkpoints,
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

    /// What the event depends on in memory: its accesses, and what it might have
    /// accessed instead.
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
        self.records[event as usize].position
    }

    /// The event before it in its thread.
    pub fn previous(&self, event: u32) -> Option<u32> {
        let before = self.position(event).checked_sub(2)?;
        Some(self.events_of(self.event(event).thread)[before as usize])
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
        let alive = match event.op {
            Op::Create { .. } => self.alive() + 1,
            Op::End => self.alive() - 1,
            _ => self.alive(),
        };
        self.records.push(Record {
            footprint_end: self.accesses.len() as u32,
            first_entry: self.entries.len() as u32,
            first_hold: self.holds.len() as u32,
            first_memory: self.memory.len(),
            position: self.events_of(thread).len() as u32 + 1,
            alive,
        });
        self.events.push(Event { first_access, access_count: accesses.len() as u32, ..*event });

        let footprint = &self.accesses[first_access as usize..];
        let weak = |access: usize| accesses.get(access).is_some_and(|own| is_weak(event, own));
        self.memory.push(place, thread, footprint, weak);
        for (object, touch) in touches(&event.op, event.outcome).into_iter().flatten() {
            self.index(object, touch, place);
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
        self.checkpoints.truncate(len);
        while self.events.len() > len {
            let event = self.events.pop().expect("longer than `len`");
            let record = self.records.pop().expect("one for each event");
            for entry in self.entries.drain(record.first_entry as usize..).rev() {
                self.heads[entry.chain as usize] = entry.previous;
            }
            self.memory.truncate(record.first_memory);
            self.holds.truncate(record.first_hold as usize);
            self.accesses.truncate(event.first_access as usize);
            if let Op::Create { child } = event.op {
                self.created[child.index()] = None;
            }
            self.by_thread[event.thread.index()].pop();
        }
    }

    fn index(&mut self, object: Object, touch: Touch, event: u32) {
        let place = self.entries.len() as u32;
        let chain = *self.chains.entry(object).or_insert(self.heads.len() as u32);
        if chain as usize == self.heads.len() {
            self.heads.push(NONE);
        }
        let previous = core::mem::replace(&mut self.heads[chain as usize], place);
        let before = self.entry(previous);
        let mut hold = self.holds.len() as u32;
        match object {
            Object::Sem(_) => {
                let value = before.map_or(0, |before| before.hold);
                let looks = touch == Touch::Looks;
                hold = if looks { value } else { sem_after(value, &self.event(event).op) };
            }
            Object::Mutex(_) => {
                let state = before.map_or(UNTOUCHED, |before| self.holds[before.hold as usize]);
                // An entry that only looks may stand for another event's attempt.
                let looks = touch == Touch::Looks;
                let after = if looks { state } else { self.hold_after(state, event) };
                self.holds.push(after);
            }
            _ => {}
        }
        let before = self.entry(previous);
        let same = before.filter(|before| before.touch == touch);
        let different = same.map_or(previous, |before| before.different);
        self.entries.push(Entry { object, touch, event, chain, previous, different, hold });
    }

    fn entry(&self, link: u32) -> Option<&Entry> {
        self.entries.get(link as usize)
    }

    fn hold_after(&self, before: Hold, event: u32) -> Hold {
        let Event { thread, op, outcome, .. } = *self.event(event);
        let mut hold = before;
        let mutex = &mut hold.mutex;
        match op {
            Op::Lock { kind, .. } | Op::TryLock { kind, .. }
                if outcome == Outcome::Acquired(true) =>
            {
                mutex.lock(thread, kind);
            }
            Op::Unlock { .. } | Op::Wait { .. } => drop(mutex.unlock(thread)),
            Op::Rewait { .. } => mutex.lock_again(thread),
            Op::MutexInit { kind, .. } => *mutex = Mutex::new(kind),
            Op::MutexDestroy { .. } => *mutex = Mutex::new(MutexKind::Normal),
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

    /// The event's entries of memory.
    fn touched(&self, event: u32) -> Touched<'_> {
        let first =
            |e: u32| self.records.get(e as usize).map_or(self.memory.len(), |r| r.first_memory);
        Touched {
            event,
            thread: self.event(event).thread,
            first_entry: first(event),
            end_entry: first(event + 1),
            accesses: self.footprint(event),
        }
    }

    /// The chain behind an entry, from `limit` down.
    fn chain(&self, entry: &Entry, limit: u32) -> impl Iterator<Item = &Entry> {
        core::iter::successors(self.entry(entry.previous), |entry| self.entry(entry.previous))
            .skip_while(move |entry| entry.event >= limit)
    }

    /// The event's first entry of an object.
    fn entry_of(&self, event: u32, object: Object) -> Option<&Entry> {
        self.entries_of(event).iter().find(|entry| entry.object == object)
    }

    /// The state of the event's mutex before it, or before `limit`.
    pub fn hold_before(&self, event: u32, mutex: u64, limit: u32) -> Hold {
        let own = self.entry_of(event, Object::Mutex(mutex));
        let before = own.and_then(|own| self.chain(own, limit.min(event)).next());
        before.map_or(UNTOUCHED, |entry| self.holds[entry.hold as usize])
    }

    /// The state of the event's mutex after the last event before it that is kept.
    pub fn hold_after_kept(&self, event: u32, mutex: u64, keep: impl Fn(u32) -> bool) -> Hold {
        let own = self.entry_of(event, Object::Mutex(mutex));
        let last = own.and_then(|own| self.chain(own, event).find(|entry| keep(entry.event)));
        last.map_or(UNTOUCHED, |entry| self.holds[entry.hold as usize])
    }

    /// The state of all objects before an event.
    pub fn sync_before(&self, event: u32) -> SyncState {
        self.checkpoints.behind(&self.events[..event as usize])
    }

    /// The state of a mutex now.
    pub fn hold(&self, mutex: u64) -> Hold {
        let last = self.chain_of(Object::Mutex(mutex), u32::MAX).next();
        last.map_or(UNTOUCHED, |entry| self.holds[entry.hold as usize])
    }

    /// The entries of an object before an event, the latest first.
    fn chain_of(&self, object: Object, before: u32) -> impl Iterator<Item = &Entry> {
        let head = self.chains.get(&object).map_or(NONE, |chain| self.heads[*chain as usize]);
        let chain = core::iter::successors(self.entry(head), |entry| self.entry(entry.previous));
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

    /// The events before this one that change the object, the latest first.
    pub fn changes(&self, object: Object, before: u32) -> impl Iterator<Item = u32> {
        let first = self.chain_of(object, before).next();
        let change = |entry: &Entry| entry.touch == Touch::Changes;
        let earlier = move |entry: &Entry| {
            let link = if change(entry) { entry.previous } else { entry.different };
            self.entry(link)
        };
        let entries = core::iter::successors(first, move |entry| earlier(entry));
        entries.filter(move |entry| change(entry)).map(|entry| entry.event)
    }

    /// The value of a semaphore before an event.
    pub fn value(&self, sem: u64, before: u32) -> u32 {
        self.chain_of(Object::Sem(sem), before).next().map_or(0, |entry| entry.hold)
    }

    /// The value of a semaphore before and after an event that touches it.
    pub fn values(&self, sem: u64, event: u32) -> (u32, u32) {
        let mut own = self.entries_of(event).iter().filter(|e| e.object == Object::Sem(sem));
        let (Some(first), last) = (own.next(), own.next_back()) else { return (0, 0) };
        let before = self.entry(first.previous).map_or(0, |entry| entry.hold);
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
        let before = limit.min(event);
        self.memory.conflicting(&self.touched(event), before, found);
        let outcome = self.event(event).outcome;
        for own in self.entries_of(event) {
            let mut nearest = outcome;
            let mut next = self.chain(own, before).next();
            while let Some(entry) = next {
                let theirs = self.event(entry.event).outcome;
                next = self.entry(entry.previous);
                if own.touch.conflicts(entry.touch) {
                    found.push(entry.event);
                } else if !same_round(outcome, theirs) {
                    // The rounds before the last one come before all of it.
                    if nearest != outcome && !same_round(nearest, theirs) {
                        break;
                    }
                    nearest = theirs;
                    found.push(entry.event);
                } else if !matches!(outcome, Outcome::Arrived { .. }) {
                    // Its like, all of which commute with it.
                    next = self.entry(entry.different);
                }
                if entry.touch == Touch::Changes {
                    break;
                }
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
    }

    /// Collects the events of other threads before this one that may be in a data race with
    /// it, the latest first, given which ones happen before it. Says whether it meets
    /// another thread's where one of them is a weak atomic.
    pub fn rivals(
        &self,
        event: u32,
        is_ordered: impl Fn(u32) -> bool,
        found: &mut Vec<u32>,
    ) -> bool {
        found.clear();
        let weakly = self.memory.racing(&self.touched(event), is_ordered, found);
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
        weakly
    }

    /// Collects the events whose writes one of the event's reads sees: for each of its
    /// bytes the last one.
    pub fn sources(&self, event: u32, read: &Access, found: &mut Vec<u32>) {
        found.clear();
        // All but those of an atomic section, and of libatomic for large objects, have few.
        let (mut few, mut many) = ([0u32; 16], Vec::new());
        let last = match few.get_mut(..read.len as usize) {
            Some(few) => few,
            None => {
                many.resize(read.len as usize, 0);
                &mut many[..]
            }
        };
        let bytes = read.addr..read.end();
        self.memory.sources(&self.touched(event), bytes, |earlier, part| {
            let writes = self.accesses(earlier).iter().filter(|a| a.kind.writes());
            let mut all = false;
            for write in writes {
                let here = write.addr.max(part.start)..write.end().min(part.end);
                all |= here == part;
                for byte in here {
                    let last = &mut last[(byte - read.addr) as usize];
                    *last = (*last).max(earlier + 1);
                }
            }
            all
        });
        found.extend(last.iter().filter(|last| **last != 0).map(|last| last - 1));
        found.sort_unstable();
        found.dedup();
    }
}

/// Whether the program has asked for a weaker order than the sequentially consistent one;
/// the kernel's reads do not count, nor does what is outside memory and has no order at all.
fn is_weak(event: &Event, access: &Access) -> bool {
    let kernel = matches!(event.op, Op::FutexWait { .. } | Op::FutexDiffers { .. })
        || OUTSIDE.contains(&access.addr);
    !kernel && access.atomic.is_some_and(|order| order != Order::SeqCst)
}

fn grow<T: Default>(list: &mut Vec<T>, place: usize) {
    if list.len() <= place {
        list.resize_with(place + 1, T::default);
    }
}
