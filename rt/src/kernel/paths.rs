//! Paths as the program gives them, made absolute.

use crate::sys;
use alloc::{format, vec, vec::Vec};
use core::ffi::{CStr, c_char};

/// What a path means, seen from a directory: absolute, without `.` and empty parts.
/// None for what is no path.
pub fn absolute(directory: i32, path: *const c_char) -> Option<Vec<u8>> {
    if (path as usize) < 4096 {
        return None;
    }
    // SAFETY: the program is about to give the same path to libc.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let mut whole = Vec::new();
    if !path.starts_with(b"/") {
        whole = match directory {
            libc::AT_FDCWD => current_directory()?,
            fd => of_descriptor(fd)?,
        };
        whole.push(b'/');
    }
    whole.extend_from_slice(path);
    let mut clean = Vec::with_capacity(whole.len() + 1);
    for part in whole.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && part != b".") {
        clean.push(b'/');
        clean.extend_from_slice(part);
    }
    if clean.is_empty() {
        clean.push(b'/');
    }
    Some(clean)
}

/// The directory that a path's last part is in.
pub fn parent(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(0) | None => b"/",
        Some(end) => &path[..end],
    }
}

fn current_directory() -> Option<Vec<u8>> {
    let mut path = vec![0; 4096];
    // SAFETY: the kernel writes `path` only.
    let len = unsafe {
        sys::call(libc::SYS_getcwd, [path.as_mut_ptr() as u64, path.len() as u64, 0, 0, 0, 0])
    };
    path.truncate((len - 1).try_into().ok()?);
    Some(path)
}

/// What a descriptor is open on: a path, or the kernel's word for something else.
pub fn of_descriptor(fd: i32) -> Option<Vec<u8>> {
    link_target(format!("/proc/self/fd/{fd}").as_bytes())
}

/// Where a symbolic link leads.
pub fn link_target(path: &[u8]) -> Option<Vec<u8>> {
    let mut link = path.to_vec();
    link.push(0);
    let mut target = vec![0; 4096];
    let (place, room) = (target.as_mut_ptr() as u64, target.len() as u64);
    // SAFETY: the kernel writes `target` only.
    let len =
        unsafe { sys::call(libc::SYS_readlink, [link.as_ptr() as u64, place, room, 0, 0, 0]) };
    target.truncate(len.try_into().ok()?);
    Some(target)
}

/// The path behind symbolic links, as far as its last part goes.
pub fn behind_links(mut path: Vec<u8>) -> Vec<u8> {
    for _ in 0..40 {
        let Some(target) = link_target(&path) else { break };
        let mut next = if target.starts_with(b"/") { Vec::new() } else { parent(&path).to_vec() };
        next.push(b'/');
        next.extend_from_slice(&target);
        path = next;
    }
    path
}
