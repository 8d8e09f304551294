//! Files by descriptor, and pipes.

use super::{cancellation, real, set_errno};
use crate::{
    execution::running,
    kernel::{
        descriptors::is_ours,
        files,
        open::{self, of},
        things::{Changes, Looks, touch},
    },
};
use leno_entry::entry;

type Buffer = *mut u8;

macro_rules! on_descriptor {
    ($($name:ident($fd:ident: i32 $(, $arg:ident: $type:ty)*) -> $result:ty = $before:expr;)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name($fd: i32 $(, $arg: $type)*) -> $result {
            if running().is_some() {
                $before;
            }
            real!($name($fd => i32 $(, $arg => $type)*) -> $result)
        }
    )*};
}

/// The file behind a descriptor is given other permissions or times, or another owner.
pub fn metadata(fd: i32) {
    open::placed(fd, Changes);
    if let Some(path) = of(fd).and_then(|open| open.path) {
        files::metadata_changed(&path);
    }
}

/// A cancellation point.
fn point(before: impl FnOnce()) {
    cancellation::point();
    before();
}

on_descriptor! {
    read(fd: i32, to: Buffer, len: usize) -> isize = point(|| open::reading(fd));
    __read_chk(fd: i32, to: Buffer, len: usize, room: usize) -> isize = point(|| open::reading(fd));
    readv(fd: i32, to: Buffer, count: i32) -> isize = point(|| open::reading(fd));
    write(fd: i32, from: Buffer, len: usize) -> isize = point(|| open::writing(fd));
    writev(fd: i32, from: Buffer, count: i32) -> isize = point(|| open::writing(fd));
    pread(fd: i32, to: Buffer, len: usize, at: i64) -> isize = point(|| open::placed(fd, Looks));
    pread64(fd: i32, to: Buffer, len: usize, at: i64) -> isize = point(|| open::placed(fd, Looks));
    pwrite(fd: i32, from: Buffer, len: usize, at: i64) -> isize = point(|| open::placed(fd, Changes));
    pwrite64(fd: i32, from: Buffer, len: usize, at: i64) -> isize = point(|| open::placed(fd, Changes));
    ftruncate(fd: i32, len: i64) -> i32 = open::placed(fd, Changes);
    ftruncate64(fd: i32, len: i64) -> i32 = open::placed(fd, Changes);
    fallocate(fd: i32, mode: i32, at: i64, len: i64) -> i32 = open::placed(fd, Changes);
    fallocate64(fd: i32, mode: i32, at: i64, len: i64) -> i32 = open::placed(fd, Changes);
    posix_fallocate(fd: i32, at: i64, len: i64) -> i32 = open::placed(fd, Changes);
    posix_fallocate64(fd: i32, at: i64, len: i64) -> i32 = open::placed(fd, Changes);
    fstat(fd: i32, out: Buffer) -> i32 = open::placed(fd, Looks);
    fstat64(fd: i32, out: Buffer) -> i32 = open::placed(fd, Looks);
    lseek(fd: i32, at: i64, whence: i32) -> i64 = open::moving(fd);
    lseek64(fd: i32, at: i64, whence: i32) -> i64 = open::moving(fd);
    fchmod(fd: i32, mode: u32) -> i32 = metadata(fd);
    fchown(fd: i32, user: u32, group: u32) -> i32 = metadata(fd);
    futimes(fd: i32, times: Buffer) -> i32 = metadata(fd);
    futimens(fd: i32, times: Buffer) -> i32 = metadata(fd);
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn close(fd: i32) -> i32 {
    if running().is_some() {
        if is_ours(fd) {
            set_errno(libc::EBADF);
            return -1;
        }
        cancellation::point();
        open::closing(fd);
    }
    real!(close(fd => i32) -> i32)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn dup(fd: i32) -> i32 {
    if running().is_none() {
        return real!(dup(fd => i32) -> i32);
    }
    touch(&[open::own_numbers()]);
    open::duplicated(fd, real!(dup(fd => i32) -> i32))
}

/// Makes `new` a duplicate of `old` by `call`.
fn duplicate_to(old: i32, new: i32, call: impl FnOnce() -> i32) -> i32 {
    if running().is_none() {
        return call();
    }
    if is_ours(old) || is_ours(new) {
        set_errno(libc::EBADF);
        return -1;
    }
    if old != new {
        open::closing(new);
    }
    let result = call();
    if result >= 0 && old != new {
        open::duplicated_to(old, new);
    }
    result
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn dup2(old: i32, new: i32) -> i32 {
    duplicate_to(old, new, || real!(dup2(old => i32, new => i32) -> i32))
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn dup3(old: i32, new: i32, flags: i32) -> i32 {
    duplicate_to(old, new, || real!(dup3(old => i32, new => i32, flags => i32) -> i32))
}

fn control(fd: i32, command: i32, call: impl FnOnce() -> i32) -> i32 {
    if running().is_none() {
        return call();
    }
    match command {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => {
            touch(&[open::own_numbers()]);
            let new = call();
            open::duplicated_to(fd, new);
            new
        }
        libc::F_SETLKW | libc::F_OFD_SETLKW => super::refused::refuse("fcntl (waiting for a lock)"),
        _ => {
            open::moving(fd);
            call()
        }
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn fcntl(fd: i32, command: i32, argument: u64) -> i32 {
    control(fd, command, || real!(fcntl(fd => i32, command => i32, argument => u64) -> i32))
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn fcntl64(fd: i32, command: i32, argument: u64) -> i32 {
    control(fd, command, || real!(fcntl64(fd => i32, command => i32, argument => u64) -> i32))
}

fn make_pipe(ends: *mut i32, call: impl FnOnce() -> i32) -> i32 {
    if running().is_none() {
        return call();
    }
    touch(&[open::own_numbers()]);
    let result = call();
    if result == 0 {
        // SAFETY: the program's place for the two ends.
        open::pipe(unsafe { core::slice::from_raw_parts_mut(ends, 2) });
    }
    result
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pipe(ends: *mut i32) -> i32 {
    make_pipe(ends, || real!(pipe(ends => *mut i32) -> i32))
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pipe2(ends: *mut i32, flags: i32) -> i32 {
    make_pipe(ends, || real!(pipe2(ends => *mut i32, flags => i32) -> i32))
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn eventfd(value: u32, flags: i32) -> i32 {
    if running().is_none() {
        return real!(eventfd(value => u32, flags => i32) -> i32);
    }
    touch(&[open::own_numbers()]);
    let mut fd = [real!(eventfd(value => u32, flags => i32) -> i32)];
    if fd[0] >= 0 {
        open::pipe(&mut fd);
    }
    fd[0]
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn memfd_create(name: *const libc::c_char, flags: u32) -> i32 {
    if running().is_none() {
        return real!(memfd_create(name => *const libc::c_char, flags => u32) -> i32);
    }
    touch(&[open::own_numbers()]);
    open::file(real!(memfd_create(name => *const libc::c_char, flags => u32) -> i32))
}
