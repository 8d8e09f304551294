//! Files and directories that the program changes: what the journal has to know
//! before it does.
//!
//! The set of files that is covered: every regular file, link and directory that is
//! reached by a path through one of the interposed functions, or by a descriptor that
//! the program was started with (standard output and error excepted). After each
//! execution, and after the check, they are as they were before.

use super::{descriptors, paths};
use crate::{cell::Global, interpose::refused::refuse, sys};
use alloc::{format, string::String, vec::Vec};
use leno_undo::{Entry, Journal, Kept, SIZE};

/// Up to which size a file's bytes are kept in the journal itself.
const SMALL: u64 = 1 << 14;

struct Files {
    journal: Journal,
    scratch: String,
}

static FILES: Global<Option<Files>> = Global::new(None);

/// Maps the journal in the folder that the driver made.
pub fn keep(scratch: &str) {
    if scratch.is_empty() {
        return;
    }
    let path = format!("{scratch}/{}\0", leno_undo::JOURNAL);
    let flags = (libc::O_RDWR | libc::O_CREAT | libc::O_CLOEXEC) as u64;
    let Some(room) = sys::map_own(SIZE, sys::Backing::Shared) else { return };
    // SAFETY: maps a file of ours over memory of ours.
    unsafe {
        let at = libc::AT_FDCWD as u64;
        let fd = sys::call(libc::SYS_openat, [at, path.as_ptr() as u64, flags, 0o600, 0, 0]);
        if fd < 0 {
            return;
        }
        let fd = descriptors::reserve(fd as i32) as u64;
        sys::call(libc::SYS_ftruncate, [fd, SIZE as u64, 0, 0, 0, 0]);
        let protection = (libc::PROT_READ | libc::PROT_WRITE) as u64;
        let flags = (libc::MAP_SHARED | libc::MAP_FIXED) as u64;
        let mapped =
            sys::call(libc::SYS_mmap, [room as u64, SIZE as u64, protection, flags, fd, 0]);
        if mapped as u64 == room as u64 {
            *FILES.get() = Some(Files { journal: Journal::at(room), scratch: scratch.into() });
        }
    }
}

/// An execution begins: descriptors that were there before may write to files.
pub fn begin() {
    if FILES.get().is_some() {
        for path in descriptors::writable() {
            changed(&path, "a write");
        }
    }
}

/// An execution is over.
pub fn put_back() {
    if let Some(files) = FILES.get() {
        files.journal.undo();
    }
}

fn push(entry: &Entry) {
    if let Some(files) = FILES.get()
        && !files.journal.push(entry)
    {
        refuse("more changes to files than leno can undo");
    }
}

fn scratch_file() -> Vec<u8> {
    let files = FILES.get().as_ref().expect("asked before");
    format!("{}/{}", files.scratch, files.journal.number()).into_bytes()
}

fn kind(mode: u32) -> u32 {
    mode & libc::S_IFMT
}

/// A file is about to be opened.
pub fn opened(path: &[u8], flags: i32) {
    let writes = flags & libc::O_ACCMODE != libc::O_RDONLY || flags & libc::O_TRUNC != 0;
    let makes = flags & libc::O_CREAT != 0;
    if FILES.get().is_none() || !writes && !makes || flags & libc::O_TMPFILE == libc::O_TMPFILE {
        return;
    }
    let exclusive = makes && flags & libc::O_EXCL != 0;
    match leno_undo::metadata(path, !exclusive) {
        Some(_) if exclusive => {} // it will fail
        Some(_) if writes => changed(path, "opening for writing"),
        Some(_) => {}
        None if makes => push(&Entry::Created { path: paths::behind_links(path.to_vec()) }),
        None => {}
    }
}

/// A file may be given other bytes, times or a size.
pub fn changed(path: &[u8], what: &str) {
    let Some(metadata) = leno_undo::metadata(path, true) else { return };
    if FILES.get().is_none() || kind(metadata.mode) != libc::S_IFREG {
        return;
    }
    let path = path.to_vec();
    let small = metadata.size <= SMALL;
    let kept = small.then(|| leno_undo::content(&path, SMALL as usize)).flatten().map(Kept::Here);
    let kept = kept.or_else(|| {
        let file = scratch_file();
        leno_undo::copy(&path, &file).then_some(Kept::In(file))
    });
    match kept {
        Some(kept) => push(&Entry::Changed { path, metadata, kept }),
        None => refuse(&format!("{what} of a file that cannot be read")),
    }
}

/// A name is about to be given to something new: by `link`, `symlink`.
pub fn made(path: &[u8]) {
    if leno_undo::metadata(path, false).is_none() {
        push(&Entry::Created { path: path.to_vec() });
    }
}

pub fn directory_made(path: &[u8]) {
    if leno_undo::metadata(path, false).is_none() {
        push(&Entry::DirectoryMade { path: path.to_vec() });
    }
}

/// A name is about to be taken from a file, link or, if `directory`, directory.
pub fn removed(path: &[u8], directory: bool) {
    let Some(metadata) = leno_undo::metadata(path, false) else { return };
    if FILES.get().is_none() || directory != (kind(metadata.mode) == libc::S_IFDIR) {
        return;
    }
    let path = path.to_vec();
    if directory {
        return push(&Entry::DirectoryRemoved { path, metadata });
    }
    if kind(metadata.mode) == libc::S_IFLNK
        && let Some(target) = paths::link_target(&path)
    {
        return push(&Entry::SymlinkRemoved { path, target });
    }
    let kept = scratch_file();
    if leno_undo::link(&path, &kept) {
        push(&Entry::Removed { path, kept });
    } else if kind(metadata.mode) == libc::S_IFREG && leno_undo::copy(&path, &kept) {
        push(&Entry::RemovedCopied { path, metadata, kept });
    } else {
        refuse("removal of a file that cannot be kept");
    }
}

pub fn renamed(from: &[u8], to: &[u8]) {
    if FILES.get().is_none() || leno_undo::metadata(from, false).is_none() || from == to {
        return;
    }
    if let Some(metadata) = leno_undo::metadata(to, false) {
        removed(to, kind(metadata.mode) == libc::S_IFDIR);
    }
    push(&Entry::Renamed { from: from.to_vec(), to: to.to_vec() });
}

/// Permissions, owner or times are about to be changed.
pub fn metadata_changed(path: &[u8]) {
    if let Some(metadata) = leno_undo::metadata(path, true) {
        push(&Entry::Metadata { path: path.to_vec(), metadata });
    }
}
