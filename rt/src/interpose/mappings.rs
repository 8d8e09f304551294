//! Mappings of the program's own: see `kernel::regions`.

use super::{real, set_errno};
use crate::{
    accesses,
    cell::Global,
    execution::{call_site, running},
    given_stacks, hooks,
    kernel::{self, open, regions, things::Looks},
    sys,
};
use leno_entry::entry;
use leno_model::AccessKind;

const FAILED: u64 = u64::MAX;

/// Writable memory that was mapped before `main`: it is not in the snapshot.
static EARLY: Global<bool> = Global::new(false);

pub fn made_early() -> bool {
    *EARLY.get()
}

fn result(value: i64) -> u64 {
    match value {
        error @ -4095..=-1 => {
            set_errno(-error as i32);
            FAILED
        }
        value => value as u64,
    }
}

fn map(at: u64, len: u64, access: i32, flags: i32, fd: i32, offset: i64) -> u64 {
    let mut place = at;
    let mut flags = flags;
    if flags & (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE) == 0 {
        match regions::place(len) {
            Some(free) => place = free,
            None => {
                set_errno(libc::ENOMEM);
                return FAILED;
            }
        }
        flags |= libc::MAP_FIXED_NOREPLACE;
    } else if !regions::contain(at, len) {
        kernel::isolate("mmap at an address of its choice");
    }
    if flags & libc::MAP_ANONYMOUS == 0 {
        open::placed(fd, Looks);
    }
    let args = [place, len, access as u64, flags as u64, fd as u64, offset as u64];
    // SAFETY: as the program says, and at a place where nothing else is.
    result(unsafe { sys::call(libc::SYS_mmap, args) })
}

macro_rules! maps {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name(
            at: u64, len: u64, access: i32, flags: i32, fd: i32, offset: i64,
        ) -> u64 {
            if running().is_some() {
                return map(at, len, access, flags, fd, offset);
            }
            *EARLY.get() |= access & libc::PROT_WRITE != 0;
            real!($name(at => u64, len => u64, access => i32, flags => i32, fd => i32,
                offset => i64) -> u64)
        }
    )*};
}
maps! { mmap mmap64 }

/// How much of a mapping is looked at when it goes away: its first part stands for all.
const LOOKED_AT: u64 = 1 << 16;

/// Memory is about to go away or to change as a whole: a write of it.
fn disturb(start: u64, len: u64, does: &str) {
    let bytes = len.min(LOOKED_AT);
    let gone = accesses::one(AccessKind::Write, start, bytes, None);
    if !given_stacks::leaves(gone, start, len, does, call_site()) {
        hooks::access(call_site(), &[gone]);
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn munmap(start: u64, len: u64) -> i32 {
    if running().is_some() {
        if !regions::contain(start, len) {
            kernel::isolate("munmap of memory that it did not map");
        }
        disturb(start, len, "unmaps");
    }
    real!(munmap(start => u64, len => u64) -> i32)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn mprotect(start: u64, len: u64, access: i32) -> i32 {
    if running().is_some() && !regions::contain(start, len) {
        kernel::isolate("mprotect of memory that it did not map");
    }
    real!(mprotect(start => u64, len => u64, access => i32) -> i32)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn madvise(start: u64, len: u64, advice: i32) -> i32 {
    if running().is_some() && !regions::contain(start, len) {
        kernel::isolate("madvise on memory that it did not map");
    }
    real!(madvise(start => u64, len => u64, advice => i32) -> i32)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn mremap(start: u64, old: u64, new: u64, flags: i32, to: u64) -> u64 {
    if running().is_none() {
        return real!(mremap(start => u64, old => u64, new => u64, flags => i32, to => u64) -> u64);
    }
    let moves = flags & libc::MREMAP_MAYMOVE != 0;
    let (mut flags, mut to) = (flags, to);
    if flags & libc::MREMAP_FIXED != 0 || !regions::contain(start, old.max(1)) {
        kernel::isolate("mremap of memory that it did not map, or to an address of its choice");
    } else if moves && new > old {
        disturb(start, old, "moves");
        let Some(place) = regions::place(new) else {
            set_errno(libc::ENOMEM);
            return FAILED;
        };
        (flags, to) = (flags | libc::MREMAP_FIXED, place);
    }
    // SAFETY: as the program says, and to a place where nothing else is.
    result(unsafe { sys::call(libc::SYS_mremap, [start, old, new, flags as u64, to, 0]) })
}

/// Locking memory has no effect that a program could see, and there are gigabytes of
/// address space that must not be filled.
macro_rules! stays_anyway {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name(a: u64, b: u64, c: u64) -> i32 {
            if running().is_some() {
                return 0;
            }
            real!($name(a => u64, b => u64, c => u64) -> i32)
        }
    )*};
}

stays_anyway! { mlock mlock2 munlock mlockall munlockall }
