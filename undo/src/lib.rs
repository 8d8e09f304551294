//! The journal of what a checked program does to files, and how it is undone.
//!
//! Before the runtime lets the program change a file or a directory, it writes down
//! how to get back. After each execution the entries are undone, the last one first,
//! and the journal is empty again. It is a file in a scratch folder that the process
//! has mapped: what is in it survives the process, and then the driver undoes it.
//!
//! Each entry can be undone whether or not the change behind it has taken place, so it
//! does not matter at which moment the process was killed. Everything is done by raw
//! system calls: the runtime must not go through libc, which is the program's.

#![no_std]

extern crate alloc;

mod entry;
mod file;
mod sys;

pub use entry::{Entry, Kept, Metadata};
pub use file::{content, copy, link, metadata};
pub use sys::call;

use alloc::vec::Vec;
use core::cell::Cell;

/// The journal's name in the scratch folder.
pub const JOURNAL: &str = "journal";
/// Its size; only what is used takes up room.
pub const SIZE: usize = 1 << 28;
/// The first word is the number of bytes in use, the second a counter for the names
/// of kept files.
const HEAD: usize = 16;

/// A journal in memory that outlives the process.
pub struct Journal {
    base: *mut u8,
}

impl Journal {
    /// The journal in `SIZE` bytes at `base`; zeros are an empty one.
    ///
    /// # Safety
    /// The memory stays mapped and belongs to the journal alone.
    pub unsafe fn at(base: *mut u8) -> Self {
        Self { base }
    }

    fn word(&self, number: usize) -> &Cell<u64> {
        // SAFETY: inside the head; there is one thread that uses the journal.
        unsafe { &*self.base.cast::<Cell<u64>>().add(number) }
    }

    fn used(&self) -> usize {
        (self.word(0).get() as usize).min(SIZE - HEAD)
    }

    pub fn is_empty(&self) -> bool {
        self.used() == 0
    }

    /// A number that no other kept file has.
    pub fn number(&self) -> u64 {
        self.word(1).set(self.word(1).get() + 1);
        self.word(1).get()
    }

    /// Appends an entry; false if there is no room for it.
    pub fn push(&self, entry: &Entry) -> bool {
        let bytes = entry.encode();
        let used = self.used();
        if HEAD + used + bytes.len() + 8 > SIZE {
            return false;
        }
        // SAFETY: inside the mapping. Behind each entry stands its length, so that the
        // journal can be read backwards; the whole counts once the first word says so.
        unsafe {
            let place = self.base.add(HEAD + used);
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len());
            let len = (bytes.len() as u64).to_le_bytes();
            core::ptr::copy_nonoverlapping(len.as_ptr(), place.add(bytes.len()), 8);
        }
        core::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst);
        self.word(0).set((used + bytes.len() + 8) as u64);
        true
    }

    /// Undoes everything, the last entry first.
    pub fn undo(&self) {
        loop {
            let used = self.used();
            if used < 8 {
                self.word(0).set(0);
                return;
            }
            // SAFETY: `used` bytes have been written.
            let bytes = unsafe { core::slice::from_raw_parts(self.base.add(HEAD), used) };
            let len: [u8; 8] = bytes[used - 8..].try_into().expect("eight bytes");
            let len = u64::from_le_bytes(len) as usize;
            let Some(start) = (used - 8).checked_sub(len) else { return };
            if let Some(entry) = Entry::decode(&bytes[start..used - 8]) {
                entry.undo();
            }
            self.word(0).set(start as u64);
        }
    }
}

/// A path as system calls want it.
pub(crate) fn terminated(path: &[u8]) -> Vec<u8> {
    let mut path = path.to_vec();
    path.push(0);
    path
}
