//! Vector clocks of a sequence of events that grows and shrinks at its end.
//!
//! A search keeps the clocks of the path it stands on, cuts them back to the node
//! where the next execution branches off, and adds those of the new events. So all
//! clocks lie in one array, in the order of the events, and cutting back is two
//! truncations. An event's own place is kept beside its clock: then an event that
//! learns nothing new, which most do not, shares the clock of the one before it.

use alloc::vec::Vec;
use leno_model::ThreadId;
use serde::{Deserialize, Serialize};

/// A clock that has been stored. It has no entries for threads beyond its length.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Slice {
    start: u32,
    len: u32,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Stamp {
    thread: ThreadId,
    /// The event is its thread's how-manieth, from 1.
    position: u32,
    clock: Slice,
    /// How long the array was before.
    words: u32,
}

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Clocks {
    words: Vec<u32>,
    stamps: Vec<Stamp>,
    /// The clock of the event that is being added.
    now: Vec<u32>,
    /// What `now` started from, if nothing has been learnt since.
    shared: Option<Slice>,
    /// `words` before the event that is being added.
    before: u32,
}

impl Clocks {
    /// Begins an event; `previous` is the one before it in its thread.
    pub fn begin(&mut self, previous: Option<u32>) {
        self.now.clear();
        self.before = self.words.len() as u32;
        self.shared = Some(Slice::default());
        if let Some(previous) = previous {
            let stamp = self.stamps[previous as usize];
            self.now.extend_from_slice(&self.words[range(stamp.clock)]);
            self.raise(stamp.thread, stamp.position);
            self.shared = Some(stamp.clock);
        }
    }

    fn raise(&mut self, thread: ThreadId, position: u32) -> bool {
        if self.now.len() <= thread.index() {
            self.now.resize(thread.index() + 1, 0);
        }
        let entry = &mut self.now[thread.index()];
        let raised = *entry < position;
        *entry = position.max(*entry);
        raised
    }

    /// Whether the event that is being added comes after `event`.
    pub fn covers(&self, event: u32) -> bool {
        let stamp = &self.stamps[event as usize];
        self.now.get(stamp.thread.index()).is_some_and(|seen| *seen >= stamp.position)
    }

    /// How many of the thread's events come before the one that is being added.
    pub fn seen(&self, thread: ThreadId) -> u32 {
        self.now.get(thread.index()).copied().unwrap_or(0)
    }

    /// The event that is being added comes after `event`.
    pub fn join(&mut self, event: u32) {
        // One that is only pending has no stamp, and has nothing to learn from itself.
        let Some(stamp) = self.stamps.get(event as usize).copied() else { return };
        self.join_slice(stamp.clock);
        if self.raise(stamp.thread, stamp.position) {
            self.shared = None;
        }
    }

    pub fn join_slice(&mut self, slice: Slice) {
        if self.now.len() < slice.len as usize {
            self.now.resize(slice.len as usize, 0);
        }
        for (entry, other) in self.now.iter_mut().zip(&self.words[range(slice)]) {
            if *entry < *other {
                *entry = *other;
                self.shared = None;
            }
        }
    }

    /// The event is added: it is its thread's `position`th.
    pub fn commit(&mut self, thread: ThreadId, position: u32) {
        let clock = match self.shared {
            Some(shared) => shared,
            None => self.keep(),
        };
        self.stamps.push(Stamp { thread, position, clock, words: self.before });
    }

    /// Stores the present clock as it is.
    pub fn keep(&mut self) -> Slice {
        let start = self.words.len() as u32;
        self.words.extend_from_slice(&self.now);
        Slice { start, len: self.now.len() as u32 }
    }

    /// Stores the present clock with the event itself in it.
    pub fn keep_with(&mut self, thread: ThreadId, position: u32) -> Slice {
        let slice = self.keep();
        let missing = (thread.index() + 1).saturating_sub(slice.len as usize);
        self.words.extend(core::iter::repeat_n(0, missing));
        self.words[slice.start as usize + thread.index()] = position;
        Slice { len: slice.len + missing as u32, ..slice }
    }

    /// Stores the least upper bound of two clocks.
    pub fn merge(&mut self, a: Slice, b: Slice) -> Slice {
        if a.len == 0 || b.len == 0 || a == b {
            return if a.len == 0 { b } else { a };
        }
        let start = self.words.len() as u32;
        let len = a.len.max(b.len);
        for k in 0..len {
            let entry = |s: Slice| if k < s.len { self.words[(s.start + k) as usize] } else { 0 };
            let both = entry(a).max(entry(b));
            self.words.push(both);
        }
        Slice { start, len }
    }

    /// Whether `first` comes before `second`; it is the earlier of the two.
    pub fn ordered(&self, first: u32, second: u32) -> bool {
        let (a, b) = (&self.stamps[first as usize], &self.stamps[second as usize]);
        a.thread == b.thread
            || self.words[range(b.clock)]
                .get(a.thread.index())
                .is_some_and(|seen| *seen >= a.position)
    }

    /// How many of the thread's events come before `event`, itself included.
    pub fn position(&self, event: u32, thread: ThreadId) -> u32 {
        let stamp = &self.stamps[event as usize];
        if stamp.thread == thread {
            return stamp.position;
        }
        self.words[range(stamp.clock)].get(thread.index()).copied().unwrap_or(0)
    }

    /// Whether an event is in a clock that was stored.
    pub fn is_in(&self, event: u32, slice: Slice) -> bool {
        let stamp = &self.stamps[event as usize];
        let seen = self.words[range(slice)].get(stamp.thread.index());
        seen.is_some_and(|seen| *seen >= stamp.position)
    }

    pub fn truncate(&mut self, events: usize) {
        if let Some(stamp) = self.stamps.get(events) {
            self.words.truncate(stamp.words as usize);
            self.stamps.truncate(events);
        }
    }
}

fn range(slice: Slice) -> core::ops::Range<usize> {
    slice.start as usize..(slice.start + slice.len) as usize
}
