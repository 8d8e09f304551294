//! What the journal keeps of a file, and putting it back.

use crate::{entry::Metadata, sys::call, terminated};
use alloc::{vec, vec::Vec};

const AT: u64 = libc::AT_FDCWD as u64;

/// What `lstat` or, if `follow`, `stat` says about a path.
pub fn metadata(path: &[u8], follow: bool) -> Option<Metadata> {
    let path = terminated(path);
    // SAFETY: the kernel writes `stat` only; zeros are a valid one.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        let flags = if follow { 0 } else { libc::AT_SYMLINK_NOFOLLOW as u64 };
        let place = &raw mut stat as u64;
        let found = call(libc::SYS_newfstatat, [AT, path.as_ptr() as u64, place, flags, 0, 0]) == 0;
        found.then_some(Metadata {
            mode: stat.st_mode,
            owner: [stat.st_uid, stat.st_gid],
            size: stat.st_size as u64,
            times: [stat.st_atime, stat.st_atime_nsec, stat.st_mtime, stat.st_mtime_nsec],
        })
    }
}

fn open(path: &[u8], flags: i32, mode: u32) -> Option<u64> {
    let path = terminated(path);
    let flags = (flags | libc::O_CLOEXEC) as u64;
    // SAFETY: opens a file.
    let fd =
        unsafe { call(libc::SYS_openat, [AT, path.as_ptr() as u64, flags, u64::from(mode), 0, 0]) };
    (fd >= 0).then_some(fd as u64)
}

fn close(fd: u64) {
    // SAFETY: a descriptor of ours.
    unsafe { call(libc::SYS_close, [fd, 0, 0, 0, 0, 0]) };
}

fn write_all(fd: u64, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        let (place, len) = (bytes.as_ptr() as u64, bytes.len() as u64);
        // SAFETY: the kernel reads `bytes` only.
        match unsafe { call(libc::SYS_write, [fd, place, len, 0, 0, 0]) } {
            n if n > 0 => bytes = &bytes[n as usize..],
            _ => return false,
        }
    }
    true
}

/// Up to `limit` bytes of a file; none if there are more, or if it cannot be read.
pub fn content(path: &[u8], limit: usize) -> Option<Vec<u8>> {
    let fd = open(path, libc::O_RDONLY | libc::O_NONBLOCK, 0)?;
    let mut bytes = vec![0; limit + 1];
    let mut len = 0;
    let complete = loop {
        let (place, room) = (bytes[len..].as_mut_ptr() as u64, (bytes.len() - len) as u64);
        // SAFETY: the kernel writes into the room only.
        match unsafe { call(libc::SYS_read, [fd, place, room, 0, 0, 0]) } {
            0 => break true,
            n if n > 0 && len + (n as usize) <= limit => len += n as usize,
            _ => break false,
        }
    };
    close(fd);
    bytes.truncate(len);
    complete.then_some(bytes)
}

/// Copies a file's bytes into another one, which is made if it is not there.
pub fn copy(from: &[u8], to: &[u8]) -> bool {
    let Some(source) = open(from, libc::O_RDONLY, 0) else { return false };
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
    let Some(target) = open(to, flags, 0o600) else {
        close(source);
        return false;
    };
    let mut bytes = vec![0; 1 << 16];
    let complete = loop {
        let (place, room) = (bytes.as_mut_ptr() as u64, bytes.len() as u64);
        // SAFETY: the kernel writes into `bytes` only.
        match unsafe { call(libc::SYS_read, [source, place, room, 0, 0, 0]) } {
            0 => break true,
            n if n > 0 && write_all(target, &bytes[..n as usize]) => {}
            _ => break false,
        }
    };
    close(source);
    close(target);
    complete
}

/// Gives a file these bytes and no others.
pub fn overwrite(path: &[u8], bytes: &[u8]) {
    if let Some(fd) = open(path, libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC, 0o600) {
        write_all(fd, bytes);
        close(fd);
    }
}

pub fn set_mode(path: &[u8], mode: u32) {
    let path = terminated(path);
    let mode = u64::from(mode & 0o7777);
    // SAFETY: changes permissions.
    unsafe { call(libc::SYS_fchmodat, [AT, path.as_ptr() as u64, mode, 0, 0, 0]) };
}

pub fn set_owner(path: &[u8], [user, group]: [u32; 2]) {
    let path = terminated(path);
    let (user, group) = (u64::from(user), u64::from(group));
    // SAFETY: changes who owns a file.
    unsafe { call(libc::SYS_fchownat, [AT, path.as_ptr() as u64, user, group, 0, 0]) };
}

pub fn set_times(path: &[u8], times: &[i64; 4]) {
    let path = terminated(path);
    // SAFETY: the kernel reads two times of two words each.
    unsafe {
        call(libc::SYS_utimensat, [AT, path.as_ptr() as u64, times.as_ptr() as u64, 0, 0, 0])
    };
}

/// Gives a file a second name.
pub fn link(from: &[u8], to: &[u8]) -> bool {
    by_paths(libc::SYS_link, from, to) == 0
}

/// Calls with one or two paths.
pub fn by_path(number: i64, path: &[u8], argument: u64) -> i64 {
    let path = terminated(path);
    // SAFETY: the kernel reads the path only.
    unsafe { call(number, [path.as_ptr() as u64, argument, 0, 0, 0, 0]) }
}

pub fn by_paths(number: i64, from: &[u8], to: &[u8]) -> i64 {
    let (from, to) = (terminated(from), terminated(to));
    // SAFETY: the kernel reads the paths only.
    unsafe { call(number, [from.as_ptr() as u64, to.as_ptr() as u64, 0, 0, 0, 0]) }
}
