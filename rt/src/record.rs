//! The record of one execution, in memory that the executing process shares with
//! the host: what is in it survives whatever happens to that process.
//!
//! Where the driver has given us a journal, the memory is the driver's too. When the
//! host dies itself, which is where an execution in place takes place, the driver starts
//! the program once more with the same journal, and what is here tells that process how
//! far the check had come and which schedule to look at (`inquest.rs`).

use crate::{cell::Global, sys};
use core::sync::atomic::{AtomicU32, Ordering};
use leno_model::{
    Access, End, Event, Exchanged, Execution, Failure, Pending, SiteRef, ThreadId, symmetry,
    thread::{ThreadName, ThreadTable},
    wire::{Counts, LastHook},
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
        Self::inside(&mut Journal { file: None, end: 0 }, capacity)
    }

    fn inside(journal: &mut Journal, capacity: usize) -> Self {
        let base = journal.map(capacity * core::mem::size_of::<T>() + 4096);
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
    #[inline(always)]
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

    /// Makes this item the only one.
    pub fn set(&self, item: T) {
        // SAFETY: every list has room for one item.
        unsafe {
            self.items.write(item);
            (*self.len).store(1, Ordering::Release);
        }
    }

    /// Where the first item is, or would be.
    fn place(&self) -> *mut T {
        self.items
    }

    /// Appends all; false when they do not fit.
    pub fn extend(&self, items: &[T]) -> bool {
        let len = self.len();
        if items.len() > self.capacity - len {
            return false;
        }
        // SAFETY: as in `push`.
        unsafe {
            self.items.add(len).copy_from_nonoverlapping(items.as_ptr(), items.len());
            (*self.len).store((len + items.len()) as u32, Ordering::Release);
        }
        true
    }

    pub fn as_slice(&self) -> &'static [T] {
        // SAFETY: `len` items have been written, and nobody changes them before `clear`.
        unsafe { core::slice::from_raw_parts(self.items, self.len()) }
    }
}

/// The file that the lists lie in one behind the other, if there is one.
struct Journal {
    file: Option<i32>,
    end: usize,
}

impl Journal {
    fn map(&mut self, len: usize) -> *mut u8 {
        let (start, len) = (self.end, len.next_multiple_of(4096));
        self.end += len;
        // A file that does not grow (there may be a limit) cannot be used.
        if self.file.is_some_and(|file| !sys::grow(file, self.end)) {
            self.file = None;
        }
        let backing =
            self.file.map_or(sys::Backing::Shared, |file| sys::Backing::File(file, start));
        sys::map_own(len, backing).expect("no address space for the record")
    }
}

/// Entries of the largest lists; at 64 bytes an event that is 1 GiB of address space.
const EVENTS: usize = 1 << 24;
/// More threads than a process of this kind can have.
const THREADS: usize = 1 << 16;
/// Ranges of two threads' own memory. Threads with more are not taken for symmetric.
const EXCHANGED: usize = 1 << 16;
/// Bytes of messages that one execution can leave; a trace of the longest one.
const OUTBOX: usize = 1 << 30;

/// A stack that only the host can make.
#[derive(Clone, Copy)]
pub struct WantedStack {
    pub thread: ThreadId,
    pub size: usize,
}

pub struct Record {
    pub events: List<Event>,
    pub accesses: List<Access>,
    pub pending: List<Pending>,
    pub failures: List<Failure>,
    /// The memory of two threads that were found to be symmetric.
    pub exchanged: List<Exchanged>,
    /// The threads that they will create, and that change places too.
    pub children: List<(ThreadId, ThreadId)>,
    /// Events that have read in rounds that are not gone on with.
    pub glances: List<u32>,
    /// What they have read there without an event, and the numbers of the threads.
    pub glanced: List<(u64, u32)>,
    end: List<End>,
    /// The names of threads 1, 2, …; kept from one execution to the next.
    names: List<ThreadName>,
    /// Granules of memory that this execution has found to be shared.
    pub discovered: List<u64>,
    /// The stack that is needed before the execution can be run.
    wanted_stack: List<WantedStack>,
    /// The last hook that was passed, and by whom.
    last_hook: List<LastHook>,
    /// What a child process had to say to the driver; the host passes it on.
    pub outbox: List<u8>,
    /// All granules that are known to be shared.
    pub shared: List<u64>,
    /// How far the search has come.
    pub counts: List<Counts>,
    /// Threads whose handle this execution has used for more than a join.
    pub handles_used: List<ThreadId>,
    /// What threads have done with their heaps, in all executions.
    pub habits: List<(ThreadId, symmetry::Habit)>,
    /// What threads of this execution have given to those who joined them, if they wanted it.
    pub given: List<(ThreadId, u64)>,
    /// What comparing threads has come to, in all executions.
    pub symmetry: List<symmetry::Counts>,
    /// What it has shown in this one, each encoded behind its length.
    pub explanations: List<u8>,
    /// Pairs of threads that were taken for symmetric in this one because nobody is known to
    /// tell their handles apart.
    pub assumed: List<(ThreadId, ThreadId)>,
    /// Who was found symmetric, and behind how many events.
    pub symmetric: List<(u32, ThreadId, ThreadId)>,
}

static RECORD: Global<Option<Record>> = Global::new(None);

/// Makes the lists: empty ones, or those that are in the journal already.
pub fn create(journal: Option<i32>) {
    let mut journal = Journal { file: journal, end: 0 };
    let journal = &mut journal;
    *RECORD.get() = Some(Record {
        // The first two, so that the driver knows where they are.
        last_hook: List::inside(journal, 1),
        names: List::inside(journal, THREADS),
        events: List::inside(journal, EVENTS),
        accesses: List::inside(journal, EVENTS),
        pending: List::inside(journal, THREADS),
        failures: List::inside(journal, THREADS),
        exchanged: List::inside(journal, EXCHANGED),
        children: List::inside(journal, THREADS),
        glances: List::inside(journal, EVENTS),
        glanced: List::inside(journal, EVENTS),
        end: List::inside(journal, 1),
        discovered: List::inside(journal, EVENTS),
        wanted_stack: List::inside(journal, 1),
        outbox: List::inside(journal, OUTBOX),
        shared: List::inside(journal, EVENTS),
        counts: List::inside(journal, 1),
        handles_used: List::inside(journal, EVENTS),
        habits: List::inside(journal, 2 * THREADS),
        given: List::inside(journal, THREADS),
        symmetry: List::inside(journal, 1),
        explanations: List::inside(journal, OUTBOX),
        assumed: List::inside(journal, THREADS),
        symmetric: List::inside(journal, EVENTS),
    });
}

#[inline(always)]
pub fn record() -> &'static Record {
    RECORD.get().as_ref().expect("the record is made before the first execution")
}

impl Record {
    /// Forgets the last execution, but not the threads' names, nor what it has found to be
    /// shared: an attempt that is broken off, for want of a stack, has found it all the same,
    /// and in place it counts from then on.
    pub fn reset(&self) {
        self.events.clear();
        self.accesses.clear();
        self.pending.clear();
        self.failures.clear();
        self.exchanged.clear();
        self.children.clear();
        self.glances.clear();
        self.glanced.clear();
        self.end.clear();
        self.wanted_stack.clear();
        self.outbox.clear();
        self.handles_used.clear();
        self.given.clear();
        self.explanations.clear();
        self.symmetric.clear();
        self.assumed.clear();
    }

    /// Notes where the program is; all that will be known if it never comes back.
    #[inline(always)]
    pub fn passes(&self, thread: ThreadId, site: SiteRef) {
        let last = self.last_hook.place();
        // SAFETY: the list has room for one item, which only this process writes.
        unsafe {
            (*last).site = site.0;
            (*last).thread = thread.0;
            (*last).passed = (*last).passed.wrapping_add(1);
        }
    }

    /// Notes which process executes the program; 0 for none.
    pub fn executes(&self, process: i32) {
        // SAFETY: as above. A process that executes the program has passed no hook yet.
        unsafe {
            let last = self.last_hook.place();
            (*last).process = process;
            if process != 0 {
                (*last).site = 0;
            }
        }
    }

    pub fn last_hook(&self) -> (ThreadId, SiteRef) {
        // SAFETY: all zeros, as the list is made, is a valid entry.
        let last = unsafe { self.last_hook.place().read() };
        (ThreadId(last.thread), SiteRef(last.site))
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
            exchanged: self.exchanged.as_slice(),
            children: self.children.as_slice(),
            glances: self.glances.as_slice(),
            end: *self.end.as_slice().first()?,
        })
    }

    pub fn want_stack(&self, thread: ThreadId, size: usize) {
        self.wanted_stack.push(WantedStack { thread, size });
    }

    pub fn wanted_stack(&self) -> Option<WantedStack> {
        self.wanted_stack.as_slice().first().copied()
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
