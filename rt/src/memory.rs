//! The runtime's own memory, apart from the program's heap.
//!
//! Blocks come in powers of two from chunks and go back to a list of their size. There
//! is one kernel thread, so nothing is locked.

use crate::{cell::Global, sys};
use core::alloc::{GlobalAlloc, Layout};

pub struct RuntimeMemory;

/// What is mapped at once, at least.
const CHUNK: usize = 1 << 20;
/// Up to 2^40 bytes, which nobody has.
const CLASSES: usize = 41;

struct Pool {
    /// The first free block of each size; each free block holds the next.
    free: [*mut u8; CLASSES],
    next: usize,
    end: usize,
}

static POOL: Global<Pool> =
    Global::new(Pool { free: [core::ptr::null_mut(); CLASSES], next: 0, end: 0 });

fn class(layout: &Layout) -> usize {
    layout.size().max(layout.align()).max(16).next_power_of_two().trailing_zeros() as usize
}

// SAFETY: blocks are disjoint (carved from fresh chunks, or taken from a free list)
// and as large and aligned as their class, a power of two not below size and
// alignment.
unsafe impl GlobalAlloc for RuntimeMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let pool = POOL.get();
        let class = class(&layout);
        let head = pool.free[class];
        if !head.is_null() {
            // SAFETY: a free block holds the next one in its first word.
            pool.free[class] = unsafe { *head.cast::<*mut u8>() };
            return head;
        }
        let size = 1usize << class;
        let at = pool.next.next_multiple_of(size);
        if at + size > pool.end {
            let len = (2 * size).max(CHUNK);
            let Some(chunk) = sys::map_own(len, sys::Backing::Private) else {
                return core::ptr::null_mut();
            };
            pool.next = chunk as usize;
            pool.end = chunk as usize + len;
            // SAFETY: the new chunk has room for the block wherever it is aligned.
            return unsafe { self.alloc(layout) };
        }
        pool.next = at + size;
        at as *mut u8
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let pool = POOL.get();
        let class = class(&layout);
        // SAFETY: the block is ours again and at least 16 bytes long.
        unsafe { *block.cast::<*mut u8>() = pool.free[class] };
        pool.free[class] = block;
    }
}
