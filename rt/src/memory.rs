//! The runtime's own memory, apart from the program's heap.
//!
//! Small blocks come in powers of two from chunks and go back to a list of their
//! size; large ones are mappings. There is one kernel thread, so nothing is locked.

use crate::{cell::Global, sys};
use core::alloc::{GlobalAlloc, Layout};

pub struct RuntimeMemory;

const CHUNK: usize = 1 << 20;
/// Blocks from here on are mapped one by one.
const LARGE: usize = 1 << 17;
const CLASSES: usize = 18;

struct Pool {
    /// The first free block of each size; each free block holds the next.
    free: [*mut u8; CLASSES],
    next: usize,
    end: usize,
}

static POOL: Global<Pool> = Global::new(Pool { free: [core::ptr::null_mut(); CLASSES], next: 0, end: 0 });

fn class(layout: &Layout) -> usize {
    layout.size().max(layout.align()).max(16).next_power_of_two().trailing_zeros() as usize
}

// SAFETY: blocks are disjoint (carved from fresh chunks, or taken from a free list)
// and as large and aligned as their class, a power of two not below size and
// alignment; chunks and mappings start at a page.
unsafe impl GlobalAlloc for RuntimeMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= LARGE {
            return sys::map(0, layout.size(), false).unwrap_or(core::ptr::null_mut());
        }
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
            let Some(chunk) = sys::map(0, CHUNK, false) else { return core::ptr::null_mut() };
            pool.next = chunk as usize;
            pool.end = chunk as usize + CHUNK;
            // SAFETY: the new chunk has room for any block below LARGE.
            return unsafe { self.alloc(layout) };
        }
        pool.next = at + size;
        at as *mut u8
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.size() >= LARGE {
            // SAFETY: the block is a mapping of its own.
            unsafe { sys::call(libc::SYS_munmap, [block as u64, layout.size() as u64, 0, 0, 0, 0]) };
            return;
        }
        let pool = POOL.get();
        let class = class(&layout);
        // SAFETY: the block is ours again and at least 16 bytes long.
        unsafe { *block.cast::<*mut u8>() = pool.free[class] };
        pool.free[class] = block;
    }
}
