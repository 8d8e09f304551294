//! One read-write lock: several readers or one writer.
//!
//! Nobody is preferred: a reader gets in while a writer waits. That allows every
//! order that an implementation with a preference allows, and more. A thread may
//! hold the lock for reading as often as it likes. What it asks for while it holds
//! the lock in a way that excludes it, it waits for in vain.

use crate::exchange::Swap;
use alloc::vec::Vec;
use leno_model::{Outcome, ThreadId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RwLock {
    pub writer: Option<ThreadId>,
    /// Who reads and how often, in no order that matters.
    readers: Vec<(ThreadId, u32)>,
}

impl RwLock {
    pub fn readable(&self) -> bool {
        self.writer.is_none()
    }

    pub fn writable(&self) -> bool {
        self.writer.is_none() && self.readers.is_empty()
    }

    /// Whether this is what the other one is when threads have changed places.
    pub fn is_after(&self, other: &RwLock, swap: &Swap<'_>) -> bool {
        let writer = other.writer.map(|writer| swap.thread(writer));
        let reads = |(reader, depth): &(ThreadId, u32)| (swap.thread(*reader), *depth);
        self.writer == writer
            && self.readers.len() == other.readers.len()
            && other.readers.iter().map(reads).all(|reader| self.readers.contains(&reader))
    }

    pub fn readers(&self) -> impl Iterator<Item = ThreadId> + '_ {
        self.readers.iter().map(|(thread, _)| *thread)
    }

    /// Whether the thread holds it in one way or the other.
    pub fn is_held_by(&self, thread: ThreadId) -> bool {
        self.writer == Some(thread) || self.readers().any(|reader| reader == thread)
    }

    /// Says whether it was acquired.
    pub fn read(&mut self, thread: ThreadId) -> bool {
        if self.readable() {
            match self.readers.iter_mut().find(|(reader, _)| *reader == thread) {
                Some((_, depth)) => *depth += 1,
                None => self.readers.push((thread, 1)),
            }
        }
        self.readable()
    }

    /// Says whether it was acquired.
    pub fn write(&mut self, thread: ThreadId) -> bool {
        let free = self.writable();
        if free {
            self.writer = Some(thread);
        }
        free
    }

    /// An unlock by a thread that holds nothing changes nothing. (In glibc it would
    /// release somebody else, or make nonsense of the count of readers.)
    pub fn unlock(&mut self, thread: ThreadId) -> Outcome {
        if self.writer == Some(thread) {
            self.writer = None;
            return Outcome::Released(true);
        }
        let Some(place) = self.readers.iter().position(|(reader, _)| *reader == thread) else {
            return Outcome::Released(false);
        };
        self.readers[place].1 -= 1;
        if self.readers[place].1 == 0 {
            self.readers.swap_remove(place);
        }
        Outcome::ReleasedShared
    }
}
