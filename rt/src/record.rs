//! The record of one execution, in memory that the executing process shares with
//! the host: what is in it survives whatever happens to that process.

use crate::{cell::Global, sys};
use core::sync::atomic::{AtomicU32, Ordering};
use leno_model::{
    Access, End, Event, Execution, Failure, Pending, ThreadId,
    thread::{ThreadName, ThreadTable},
};

/// A list in shared memory. It is mapped for `CAPACITY` entries, but only what is
/// used takes up memory.
pub struct List<T: 'static> {
    items: *mut T,
    len: *const AtomicU32,
    capacity: usize,
}

impl<T: Copy> List<T> {
    pub fn new(capacity: usize) -> Self {
        let bytes = capacity * core::mem::size_of::<T>() + 4096;
        let base = sys::map_own(bytes, true).expect("no address space for the record");
        // SAFETY: the first page holds the length, zero at first; the items follow.
        Self { items: unsafe { base.add(4096) }.cast(), len: base.cast(), capacity }
    }

    pub fn len(&self) -> usize {
        // SAFETY: mapped by `new`, never unmapped.
        unsafe { (*self.len).load(Ordering::Relaxed) as usize }
    }

    pub fn clear(&self) {
        // SAFETY: as above.
        unsafe { (*self.len).store(0, Ordering::Relaxed) };
    }

    /// Appends; false when the list is full.
    pub fn push(&self, item: T) -> bool {
        let len = self.len();
        if len == self.capacity {
            return false;
        }
        // SAFETY: inside the mapping; the length is raised after the item is there.
        unsafe {
            self.items.add(len).write(item);
            (*self.len).store(len as u32 + 1, Ordering::Release);
        }
        true
    }

    pub fn as_slice(&self) -> &'static [T] {
        // SAFETY: `len` items have been written, and nobody changes them before `clear`.
        unsafe { core::slice::from_raw_parts(self.items, self.len()) }
    }
}

/// Entries of the largest lists; at 64 bytes an event that is 1 GiB of address space.
const EVENTS: usize = 1 << 24;
/// More threads than a process of this kind can have.
const THREADS: usize = 1 << 16;

pub struct Record {
    pub events: List<Event>,
    pub accesses: List<Access>,
    pub pending: List<Pending>,
    pub failures: List<Failure>,
    end: List<End>,
    /// The names of threads 1, 2, …; kept from one execution to the next.
    names: List<ThreadName>,
    /// Granules of memory that this execution has found to be shared.
    pub discovered: List<u64>,
    /// How many threads need a stack before the execution can be run.
    wanted_stacks: List<u32>,
}

static RECORD: Global<Option<Record>> = Global::new(None);

pub fn create() {
    *RECORD.get() = Some(Record {
        events: List::new(EVENTS),
        accesses: List::new(EVENTS),
        pending: List::new(THREADS),
        failures: List::new(THREADS),
        end: List::new(1),
        names: List::new(THREADS),
        discovered: List::new(EVENTS),
        wanted_stacks: List::new(1),
    });
}

pub fn record() -> &'static Record {
    RECORD.get().as_ref().expect("the record is made before the first execution")
}

impl Record {
    /// Forgets the last execution, but not the threads' names.
    pub fn reset(&self) {
        self.events.clear();
        self.accesses.clear();
        self.pending.clear();
        self.failures.clear();
        self.end.clear();
        self.discovered.clear();
        self.wanted_stacks.clear();
    }

    pub fn set_end(&self, end: End) {
        self.end.push(end);
    }

    /// The execution, if it came to its end.
    pub fn execution(&self) -> Option<Execution<'static>> {
        Some(Execution {
            events: self.events.as_slice(),
            accesses: self.accesses.as_slice(),
            pending: self.pending.as_slice(),
            failures: self.failures.as_slice(),
            end: *self.end.as_slice().first()?,
        })
    }

    pub fn want_stacks(&self, count: u32) {
        self.wanted_stacks.push(count);
    }

    pub fn wanted_stacks(&self) -> Option<usize> {
        self.wanted_stacks.as_slice().first().map(|n| *n as usize)
    }

    /// The number for a thread's name, a new one if it was never seen.
    pub fn intern(&self, name: ThreadName) -> ThreadId {
        let known = self.names.as_slice().iter().position(|n| *n == name);
        let place = known.unwrap_or_else(|| {
            assert!(self.names.push(name), "more than {THREADS} threads");
            self.names.len() - 1
        });
        ThreadId(place as u32 + 1)
    }

    /// How many threads have been seen, the main thread included.
    pub fn thread_count(&self) -> usize {
        self.names.len() + 1
    }

    pub fn threads(&self) -> ThreadTable {
        ThreadTable::from_names(self.names.as_slice().to_vec())
    }
}
