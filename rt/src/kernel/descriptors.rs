//! Descriptors: which there are, where they stand, and their flags.
//!
//! Of each descriptor that the program finds at its start the runtime keeps a
//! duplicate. After an execution all others are closed, and each of these is made a
//! duplicate of its duplicate again, whatever has become of it. Descriptors of the
//! runtime's own have numbers above those that programs use.

use super::{listing, paths};
use crate::{cell::Global, sys};
use alloc::vec::Vec;

/// The lowest number of ours; less than what `select` can handle, and than the usual
/// limit, below which numbers have to be.
const OURS_FROM: i32 = 960;

struct Kept {
    number: i32,
    duplicate: i32,
    /// The descriptor's own flags: closed on exec or not.
    flags: i32,
    /// The flags of what it describes, which its duplicates share.
    status: i32,
    /// Where it stands, if it can be moved.
    offset: Option<i64>,
}

#[derive(Default)]
struct Table {
    kept: Vec<Kept>,
    /// Numbers to be closed, as ranges.
    others: Vec<(u32, u32)>,
}

static OURS: Global<Vec<i32>> = Global::new(Vec::new());
static TABLE: Global<Option<Table>> = Global::new(None);

fn call(number: i64, args: [u64; 3]) -> i64 {
    // SAFETY: calls on descriptors, which touch no memory.
    unsafe { sys::call(number, [args[0], args[1], args[2], 0, 0, 0]) }
}

fn control(fd: i32, command: i32, argument: u64) -> i64 {
    call(libc::SYS_fcntl, [fd as u64, command as u64, argument])
}

/// Moves a descriptor of the runtime's to where it is in nobody's way.
pub fn reserve(fd: i32) -> i32 {
    let moved = duplicate(fd);
    if moved < 0 {
        return fd;
    }
    call(libc::SYS_close, [fd as u64, 0, 0]);
    moved
}

/// A descriptor of the runtime's is about to be closed.
pub fn release(fd: i32) {
    OURS.get().retain(|ours| *ours != fd);
}

fn duplicate(fd: i32) -> i32 {
    let mut from = OURS_FROM;
    loop {
        let duplicate = control(fd, libc::F_DUPFD_CLOEXEC, from as u64) as i32;
        // With a limit below our numbers, those just below the limit have to do.
        if duplicate != -libc::EINVAL || from <= 8 {
            if duplicate >= 0 {
                OURS.get().push(duplicate);
            }
            return duplicate;
        }
        from /= 2;
    }
}

/// Closes one of the runtime's.
pub fn give_up(fd: i32) {
    OURS.get().retain(|ours| *ours != fd);
    call(libc::SYS_close, [fd as u64, 0, 0]);
}

/// Whether a descriptor is the runtime's.
pub fn is_ours(fd: i32) -> bool {
    OURS.get().contains(&fd)
}

pub fn keep() {
    let ours = |fd: &i32| is_ours(*fd);
    let found = listing::open_descriptors();
    let kept: Vec<Kept> = found
        .iter()
        .filter(|fd| !ours(fd))
        .map(|fd| {
            let offset = call(libc::SYS_lseek, [*fd as u64, 0, libc::SEEK_CUR as u64]);
            Kept {
                number: *fd,
                duplicate: duplicate(*fd),
                flags: control(*fd, libc::F_GETFD, 0) as i32,
                status: control(*fd, libc::F_GETFL, 0) as i32,
                offset: (offset >= 0).then_some(offset),
            }
        })
        .collect();
    let mut used: Vec<i32> = kept.iter().map(|k| k.number).chain(OURS.get().clone()).collect();
    used.sort_unstable();
    used.dedup();
    let mut others = Vec::new();
    let mut next = 0u32;
    for number in used {
        if (number as u32) > next {
            others.push((next, number as u32 - 1));
        }
        next = number as u32 + 1;
    }
    others.push((next, u32::MAX));
    *TABLE.get() = Some(Table { kept, others });
}

/// The paths of regular files that the program was given to write to. Its standard
/// output and error are the user's.
pub fn writable() -> impl Iterator<Item = Vec<u8>> {
    let kept = TABLE.get().iter().flat_map(|table| &table.kept);
    let written = kept.filter(|kept| {
        kept.number > 2 && kept.offset.is_some() && kept.status & libc::O_ACCMODE != libc::O_RDONLY
    });
    written.filter_map(|kept| paths::of_descriptor(kept.number))
}

/// Puts the table back, and what the descriptors share with their duplicates.
pub fn put_back() {
    let table = TABLE.get().as_ref().expect("kept before the first execution");
    for (first, last) in &table.others {
        let closed = call(libc::SYS_close_range, [u64::from(*first), u64::from(*last), 0]);
        if closed < 0 {
            // Linux before 5.9.
            let open = listing::open_descriptors();
            open.iter().filter(|fd| (*first..=*last).contains(&(**fd as u32))).for_each(|fd| {
                call(libc::SYS_close, [*fd as u64, 0, 0]);
            });
        }
    }
    for kept in &table.kept {
        let close = if kept.flags & libc::FD_CLOEXEC != 0 { libc::O_CLOEXEC } else { 0 };
        call(libc::SYS_dup3, [kept.duplicate as u64, kept.number as u64, close as u64]);
    }
    put_back_shared();
}

/// Puts back what processes share: offsets and the flags of what is open.
pub fn put_back_shared() {
    let table = TABLE.get().as_ref().expect("kept before the first execution");
    for kept in &table.kept {
        control(kept.duplicate, libc::F_SETFL, kept.status as u64);
        if let Some(offset) = kept.offset {
            call(libc::SYS_lseek, [kept.duplicate as u64, offset as u64, libc::SEEK_SET as u64]);
        }
    }
}
