//! Reading what /proc says about this process.

use crate::{kernel::descriptors, sys};
use alloc::{vec, vec::Vec};
use core::ffi::CStr;

/// Opens a file for the runtime itself, out of the program's sight.
pub fn open(path: &CStr, flags: i32) -> Option<i32> {
    let at = libc::AT_FDCWD as u64;
    let flags = (flags | libc::O_CLOEXEC) as u64;
    // SAFETY: opens a file by a path of ours.
    let fd = unsafe { sys::call(libc::SYS_openat, [at, path.as_ptr() as u64, flags, 0, 0, 0]) };
    (fd >= 0).then(|| descriptors::reserve(fd as i32))
}

pub fn close(fd: i32) {
    descriptors::release(fd);
    // SAFETY: a descriptor of ours.
    unsafe { sys::call(libc::SYS_close, [fd as u64, 0, 0, 0, 0, 0]) };
}

/// The whole text of a file.
pub fn text(path: &CStr) -> Vec<u8> {
    let Some(fd) = open(path, libc::O_RDONLY) else { return Vec::new() };
    let mut text = vec![0; 1 << 16];
    let mut len = 0;
    loop {
        if len == text.len() {
            text.resize(2 * len, 0);
        }
        let (place, room) = (text[len..].as_mut_ptr() as u64, (text.len() - len) as u64);
        // SAFETY: the kernel writes into the room only.
        match unsafe { sys::call(libc::SYS_read, [fd as u64, place, room, 0, 0, 0]) } {
            n if n > 0 => len += n as usize,
            _ => break,
        }
    }
    close(fd);
    text.truncate(len);
    text
}

/// The numbers of all open descriptors.
pub fn open_descriptors() -> Vec<i32> {
    let flags = libc::O_RDONLY | libc::O_DIRECTORY;
    let Some(directory) = open(c"/proc/self/fd", flags) else { return vec![0, 1, 2] };
    let mut found = Vec::new();
    let mut entries = [0u8; 4096];
    loop {
        let (place, room) = (entries.as_mut_ptr() as u64, entries.len() as u64);
        // SAFETY: the kernel writes into `entries` only.
        let n =
            unsafe { sys::call(libc::SYS_getdents64, [directory as u64, place, room, 0, 0, 0]) };
        if n <= 0 {
            break;
        }
        let mut rest = &entries[..n as usize];
        // An entry: inode and offset (8 bytes each), its length (2), a type, its name.
        while rest.len() > 19 {
            let len = u16::from_le_bytes([rest[16], rest[17]]) as usize;
            let name = CStr::from_bytes_until_nul(&rest[19..len]).unwrap_or_default();
            found.extend(name.to_str().ok().and_then(|name| name.parse::<i32>().ok()));
            rest = &rest[len..];
        }
    }
    close(directory);
    found.retain(|fd| *fd != directory);
    found.sort_unstable();
    found
}

/// The mapped ranges, in order, without the stack and the like, which the kernel
/// looks after.
pub fn mappings() -> Vec<(usize, usize)> {
    let text = text(c"/proc/self/maps");
    let number = |digits: &[u8]| {
        core::str::from_utf8(digits).ok().and_then(|text| usize::from_str_radix(text, 16).ok())
    };
    let range = |line: &[u8]| {
        let mut parts = line.split(|byte| matches!(byte, b'-' | b' '));
        Some((number(parts.next()?)?, number(parts.next()?)?))
    };
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.contains(&b'['));
    lines.filter_map(range).collect()
}
