//! Mappings that libraries make on their own, such as that of a locale.
//!
//! Memory is put back, so after an execution nobody knows of them any more. How many
//! pages are mapped is a cheap question, and if it is as many as before, nothing has
//! changed; else everything that is new and not the runtime's is unmapped.

use super::listing;
use crate::{cell::Global, fiber, heap, sys};
use alloc::vec::Vec;

struct Mapped {
    /// /proc/self/statm
    counter: Option<i32>,
    pages: u64,
    ranges: Vec<(usize, usize)>,
}

static MAPPED: Global<Option<Mapped>> = Global::new(None);

/// How many pages are mapped.
fn pages(counter: Option<i32>) -> u64 {
    let mut text = [0u8; 32];
    let Some(counter) = counter else { return 0 };
    let (place, room) = (text.as_mut_ptr() as u64, text.len() as u64);
    // SAFETY: the kernel writes into `text` only.
    unsafe { sys::call(libc::SYS_pread64, [counter as u64, place, room, 0, 0, 0]) };
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
}

pub fn keep() {
    let ranges = listing::mappings();
    let counter = listing::open(c"/proc/self/statm", libc::O_RDONLY);
    *MAPPED.get() = Some(Mapped { counter, pages: pages(counter), ranges });
}

/// Whether a range may come during an execution because it is the runtime's.
fn is_ours(start: usize) -> bool {
    sys::OWN.contains(&(start as u64))
        || (heap::ARENAS..heap::ARENAS_END).contains(&start)
        || fiber::owner_of(start).is_some()
}

pub fn put_back() {
    let mapped = MAPPED.get().as_mut().expect("kept before the first execution");
    if pages(mapped.counter) == mapped.pages {
        return;
    }
    for (start, end) in listing::mappings() {
        if is_ours(start) {
            continue;
        }
        // What was there before may have been split or joined, but not moved.
        let mut from = start;
        for (low, high) in mapped.ranges.iter().filter(|r| r.0 < end && start < r.1) {
            unmap(from, *low);
            from = from.max(*high);
        }
        unmap(from, end);
    }
    mapped.pages = pages(mapped.counter);
}

fn unmap(from: usize, to: usize) {
    if from < to {
        // SAFETY: mapped during the execution that is over, and not by the runtime.
        unsafe { sys::call(libc::SYS_munmap, [from as u64, (to - from) as u64, 0, 0, 0, 0]) };
    }
}
