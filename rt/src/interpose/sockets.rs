//! Sockets: a pair of them is like two pipes. What others are connected with is not known, so
//! with these each execution is a process of its own, and a wait is the kernel's.

use super::{cancellation, real};
use crate::{
    execution::running,
    kernel::{
        self,
        open::{self, Kind, Open},
        things::touch,
    },
};
use leno_entry::entry;

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn socketpair(domain: i32, kind: i32, protocol: i32, ends: *mut i32) -> i32 {
    let call =
        || real!(socketpair(domain => i32, kind => i32, protocol => i32, ends => *mut i32) -> i32);
    if running().is_none() {
        return call();
    }
    touch(&[open::own_numbers()]);
    let result = call();
    if result == 0 {
        // SAFETY: the program's place for the two ends.
        open::pair(unsafe { core::slice::from_raw_parts_mut(ends, 2) });
    }
    result
}

/// What the socket is, if both of its ends are here.
fn paired(fd: i32) -> Option<Open> {
    open::of(fd).filter(|open| open.kind == Kind::Channel)
}

/// Bytes are about to come in or go out by a call of this name: as `with` says.
fn transfer(fd: i32, name: &str, flags: i32, with: fn(i32, &Open, bool)) {
    if running().is_none() {
        return;
    }
    cancellation::point();
    match paired(fd) {
        Some(open) => with(fd, &open, flags & libc::MSG_DONTWAIT != 0),
        None => kernel::isolate(name),
    }
}

macro_rules! transfers {
    ($($name:ident(fd $(, $arg:ident)*) by $flags:ident = $with:path;)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name(fd: i32 $(, $arg: u64)*) -> i64 {
            transfer(fd, stringify!($name), $flags as i32, $with);
            real!($name(fd => i32 $(, $arg => u64)*) -> i64)
        }
    )*};
}

transfers! {
    recv(fd, to, len, flags) by flags = open::receiving;
    recvfrom(fd, to, len, flags, from, size) by flags = open::receiving;
    recvmsg(fd, message, flags) by flags = open::receiving;
    send(fd, from, len, flags) by flags = open::sending;
    sendto(fd, from, len, flags, to, size) by flags = open::sending;
    sendmsg(fd, message, flags) by flags = open::sending;
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn shutdown(fd: i32, how: i32) -> i32 {
    if running().is_some() {
        match paired(fd) {
            Some(open) => open::shutting_down(&open),
            None => kernel::isolate("shutdown"),
        }
    }
    real!(shutdown(fd => i32, how => i32) -> i32)
}
