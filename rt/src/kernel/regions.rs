//! Mappings that the program makes: each thread has a region of its own for them, so
//! that their addresses depend on its own past only. Nothing is mapped at the same
//! place twice in an execution, and after it the regions are empty.

use crate::{cell::Global, execution::current_thread, sys};
use alloc::vec::Vec;
use core::ops::Range;
use leno_model::ThreadId;

/// All regions, and the size of one.
const REGIONS: Range<u64> = 0x4000_0000_0000..0x5000_0000_0000;
const STRIDE: u64 = 1 << 34;
const PAGE: u64 = 4096;

/// By thread: how much of its region has been used.
static USED: Global<Vec<u64>> = Global::new(Vec::new());

/// Whether a range lies in the regions.
pub fn contain(start: u64, len: u64) -> bool {
    REGIONS.contains(&start) && start.saturating_add(len) <= REGIONS.end
}

/// A place for a new mapping of the running thread, none if its region is full.
pub fn place(len: u64) -> Option<u64> {
    let thread = current_thread().unwrap_or(ThreadId::MAIN).index();
    let used = USED.get();
    if used.len() <= thread {
        used.resize(thread + 1, 0);
    }
    let start = REGIONS.start + thread as u64 * STRIDE + used[thread];
    // A page in between catches what runs over.
    let next = len.checked_next_multiple_of(PAGE)?.checked_add(used[thread] + PAGE)?;
    if next > STRIDE || start >= REGIONS.end {
        return None;
    }
    used[thread] = next;
    Some(start)
}

/// Where the next mapping of a thread will lie, and how much room there is from there on.
pub fn next(thread: ThreadId) -> (u64, u64) {
    let used = USED.get().get(thread.index()).copied().unwrap_or(0);
    (REGIONS.start + thread.index() as u64 * STRIDE + used, STRIDE - used)
}

/// Whether anything is mapped.
pub fn any() -> bool {
    USED.get().iter().any(|used| *used > 0)
}

/// An execution begins.
pub fn begin() {
    USED.get().fill(0);
}

/// An execution is over.
pub fn put_back() {
    for (thread, used) in USED.get().iter_mut().enumerate().filter(|(_, used)| **used > 0) {
        let start = REGIONS.start + thread as u64 * STRIDE;
        // SAFETY: only what the program has mapped lies there.
        unsafe { sys::call(libc::SYS_munmap, [start, *used, 0, 0, 0, 0]) };
        *used = 0;
    }
}
