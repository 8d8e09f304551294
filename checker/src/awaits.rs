//! Awaits: a thread that would only repeat itself waits for a write.
//!
//! Without this a spin lock has infinitely many executions. A thread *repeats* if
//! it comes back to a site with the local state that it had there before, and has
//! since executed nothing but events that read: loads, failed compare-exchanges,
//! failed attempts at locks and semaphores, fences. Those events are the
//! *iteration*. The code is deterministic, so if none of what the iteration read has
//! been changed by another thread since it was read, the next iteration would read
//! the same and come back to the same site in the same state. So the pending event
//! is disabled until another thread changes one of these bytes or objects.
//!
//! **Nothing is lost.** Take any execution in which some thread makes such an
//! idle iteration and remove it. The thread is in the same state afterwards; it
//! wrote nothing; what it acquired it had acquired by the same reads one iteration
//! earlier; it released nothing, so every event of another thread that races with
//! a read of the idle iteration races with the same read of the one before. What
//! remains is an execution with the same bugs and the same final state. An
//! iteration that counts (a bounded retry loop) has a different local state each
//! time and is no repetition. If nobody is left to make the write, the program
//! would spin for ever: the execution is stuck, and that is a hang.
//!
//! **For the reduction**, whether the event is enabled must be a matter of the
//! trace and not of its linearisation. It is: it is enabled if and only if for some
//! event r of the iteration there is an event w of another thread, dependent on r
//! and after it. (w before the *end* of the iteration counts too: then the thread
//! is never seen disabled, and is told apart from one that was by nothing.) That
//! order is part of the trace. No event disables it again. So the repeating event
//! is treated as a read of all that the iteration read, `Event::awaited` is set
//! whether or not a scheduler ever saw it disabled, and the race of w and the event
//! can be reversed if and only if another such w is left (see `happens`).

use crate::{
    dependence::{Object, Touch, touches, tried},
    plan::Digest,
};
use alloc::vec::Vec;
use hashbrown::HashMap;
use leno_model::{Access, Event, Op, Outcome, SiteRef, ThreadId};

/// Where a thread stands in view of this file.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Repeat {
    /// How many of its events make up the iteration it would repeat; 0: it does not.
    pub iteration: u32,
    /// Nothing of what the iteration read has been changed.
    pub idle: bool,
}

/// All threads' reads since each of them last did something else.
#[derive(Clone, Default, Debug)]
pub struct Awaits {
    /// Events so far.
    now: u32,
    threads: Vec<Window>,
    /// How many of them stand idle.
    idle: u32,
    /// What was written or changed, and when. Kept only once some thread has told its
    /// local state: before that no iteration can begin.
    changes: Vec<Change>,
    /// The first so many of them are in the tables below. A program that never repeats
    /// itself never asks for any.
    indexed: usize,
    /// When each byte was last written, by eights.
    written: HashMap<u64, [u32; 8]>,
    /// The same for writes too long to be spread over `written`.
    written_ranges: Vec<(Access, u32)>,
    changed: HashMap<Object, u32>,
    watching: bool,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    what: What,
    at: u32,
}

/// A thread's last events, as long as they only read.
#[derive(Clone, Default, Debug)]
struct Window {
    /// For each event a digest of site and local state; 0 if the state is unknown.
    visits: Vec<u64>,
    /// Where the first `indexed` of them were last seen. A loop that only reads may go
    /// round many times and never be in the same state.
    latest: HashMap<u64, u32>,
    indexed: usize,
    /// For each event, where its reads begin in `reads`.
    first_read: Vec<u32>,
    reads: Vec<Read>,
    arrived: u64,
    standing: Repeat,
}

#[derive(Clone, Copy, Debug)]
struct Read {
    what: What,
    at: u32,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Bytes(Access),
    Object(Object),
}

/// So many visits are looked through before they are indexed.
const UNINDEXED: usize = 64;

impl Window {
    /// The last event before which the thread stood like this.
    fn last_visit(&mut self, visit: u64) -> Option<usize> {
        if self.visits.len() - self.indexed > UNINDEXED {
            let new = self.visits[self.indexed..].iter().zip(self.indexed as u32..);
            self.latest.extend(new.map(|(visit, place)| (*visit, place)));
            self.indexed = self.visits.len();
        }
        let new = self.visits[self.indexed..].iter().rposition(|v| *v == visit);
        let indexed = || self.latest.get(&visit).map(|place| *place as usize);
        new.map(|place| self.indexed + place).or_else(indexed)
    }

    /// The thread has done something else than to read.
    fn clear(&mut self) {
        self.visits.clear();
        self.first_read.clear();
        self.reads.clear();
        self.arrived = 0;
        self.standing = Repeat::default();
        if core::mem::take(&mut self.indexed) > 0 {
            self.latest.clear();
        }
    }

    /// What the iteration read.
    fn repeated(&self) -> &[Read] {
        let first = self.visits.len() - self.standing.iteration as usize;
        self.first_read.get(first).map_or(&[], |first| &self.reads[*first as usize..])
    }
}

/// Longer writes are kept as ranges.
const SPREAD: u64 = 256;

impl Awaits {
    /// Forgets everything but the memory it took.
    pub fn clear(&mut self) {
        let Self {
            now,
            threads,
            idle,
            changes,
            indexed,
            written,
            written_ranges,
            changed,
            watching,
        } = self;
        *now = 0;
        threads.iter_mut().for_each(Window::clear);
        *idle = 0;
        changes.clear();
        if core::mem::take(indexed) > 0 {
            written.clear();
            written_ranges.clear();
            changed.clear();
        }
        *watching = false;
    }

    /// The thread stands at its next event.
    pub fn arrive(&mut self, thread: ThreadId, site: SiteRef, local_state: Option<u64>) {
        self.watching |= local_state.is_some();
        let visit = local_state.map_or(0, |state| {
            let mut digest = Digest::default();
            digest.add(site.0);
            digest.add(state);
            digest.finish()
        });
        let was_idle = self.window(thread).standing.idle;
        self.idle -= u32::from(was_idle);
        let window = &mut self.threads[thread.index()];
        window.arrived = visit;
        window.standing = Repeat::default();
        let earlier = if visit == 0 { None } else { window.last_visit(visit) };
        if let Some(first) = earlier {
            self.index_changes();
            let window = &self.threads[thread.index()];
            let reads = &window.reads[window.first_read[first] as usize..];
            let iteration = (window.visits.len() - first) as u32;
            let idle = !reads.iter().any(|read| self.changed_since(read));
            self.threads[thread.index()].standing = Repeat { iteration, idle };
            self.idle += u32::from(idle);
        }
    }

    #[inline]
    pub fn standing(&self, thread: ThreadId) -> Repeat {
        self.threads.get(thread.index()).map_or(Repeat::default(), |window| window.standing)
    }

    /// What the iteration has read which the thread would repeat.
    pub fn reads(&self, thread: ThreadId) -> impl Iterator<Item = Access> + '_ {
        let window = self.threads.get(thread.index());
        let reads = window.map_or(&[][..], |window| window.repeated());
        reads.iter().filter_map(|read| match read.what {
            What::Bytes(access) => Some(access),
            What::Object(object) => object.triable().map(tried),
        })
    }

    /// An event happens.
    pub fn perform(&mut self, event: &Event, accesses: &[Access]) {
        self.now += 1;
        let now = self.now;
        let watching = self.watching;
        let objects = touches(&event.op, event.outcome);
        if watching {
            for write in accesses.iter().filter(|access| access.kind.writes()) {
                self.note(What::Bytes(*write));
            }
            for (object, touch) in objects.iter().flatten() {
                if *touch != Touch::Looks {
                    self.note(What::Object(*object));
                }
            }
        }
        let window = self.window(event.thread);
        let was_idle = core::mem::take(&mut window.standing).idle;
        self.idle -= u32::from(was_idle);
        let window = &mut self.threads[event.thread.index()];
        if watching && only_reads(event, accesses) {
            window.visits.push(window.arrived);
            window.first_read.push(window.reads.len() as u32);
            let bytes = accesses.iter().map(|access| What::Bytes(*access));
            let objects = objects.iter().flatten().map(|(object, _)| What::Object(*object));
            window.reads.extend(bytes.chain(objects).map(|what| Read { what, at: now }));
        } else {
            window.clear();
        }
    }

    fn window(&mut self, thread: ThreadId) -> &mut Window {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Window::default);
        }
        &mut self.threads[thread.index()]
    }

    /// These bytes or this object are changed now.
    fn note(&mut self, what: What) {
        self.changes.push(Change { what, at: self.now });
        if self.idle > 0 {
            self.end_idling(&what);
        }
    }

    /// Lets go the threads whose iteration has read something of this. A thread does not
    /// let itself go: it does nothing while it idles.
    fn end_idling(&mut self, changed: &What) {
        let hit = |read: &Read| match (&read.what, changed) {
            (What::Bytes(read), What::Bytes(write)) => read.overlaps(write),
            (What::Object(seen), What::Object(object)) => seen == object,
            _ => false,
        };
        for window in self.threads.iter_mut().filter(|window| window.standing.idle) {
            if window.repeated().iter().any(hit) {
                window.standing.idle = false;
                self.idle -= 1;
            }
        }
    }

    /// Brings the tables up to date.
    fn index_changes(&mut self) {
        for Change { what, at } in &self.changes[self.indexed..] {
            match what {
                What::Object(object) => drop(self.changed.insert(*object, *at)),
                What::Bytes(write) if write.len > SPREAD => self.written_ranges.push((*write, *at)),
                What::Bytes(write) => {
                    for addr in write.addr..write.end() {
                        self.written.entry(addr / 8).or_default()[(addr % 8) as usize] = *at;
                    }
                }
            }
        }
        self.indexed = self.changes.len();
    }

    fn changed_since(&self, read: &Read) -> bool {
        match &read.what {
            What::Object(object) => self.changed.get(object).is_some_and(|at| *at > read.at),
            What::Bytes(access) => {
                let spread = (access.addr..access.end()).any(|addr| {
                    let bytes = self.written.get(&(addr / 8));
                    bytes.is_some_and(|at| at[(addr % 8) as usize] > read.at)
                });
                let ranges = &self.written_ranges;
                spread || ranges.iter().any(|(write, at)| *at > read.at && write.overlaps(access))
            }
        }
    }
}

/// Whether the event leaves everything as it was, for the others and for the trace.
pub fn only_reads(event: &Event, accesses: &[Access]) -> bool {
    let op = match event.op {
        Op::Access | Op::Fence(_) | Op::FutexDiffers { .. } | Op::SemValue { .. } => true,
        Op::TryLock { .. }
        | Op::TryReadLock { .. }
        | Op::TryWriteLock { .. }
        | Op::SemTryWait { .. } => event.outcome == Outcome::Acquired(false),
        _ => false,
    };
    op && accesses.iter().all(|access| !access.kind.writes())
}
