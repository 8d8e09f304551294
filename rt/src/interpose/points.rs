//! Cancellation points that have no other model: what POSIX says of functions that may wait in
//! the kernel. A request is seen before they begin. One that comes while they wait cannot: all
//! threads are one of the kernel's. (What such a function does to memory is said by its model, in
//! `models/`; one that has none must not stand here, or it would pass for known.)

use super::{cancellation, real};
use crate::{execution::running, kernel};
use leno_entry::entry;

macro_rules! points {
    ($($before:expr => $($name:ident)*;)*) => {$($(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> u64 {
            if running().is_some() {
                cancellation::point();
                let before: fn(&str) = $before;
                before(stringify!($name));
            }
            // All of them take at most six integers or pointers.
            real!($name(a => u64, b => u64, c => u64, d => u64, e => u64, f => u64) -> u64)
        }
    )*)*};
}

points! {
    |_| {} => fsync fdatasync msync;
    // What these change is not put back.
    kernel::isolate =>
        accept accept4 connect msgrcv msgsnd tcdrain
        mq_receive mq_send mq_timedreceive mq_timedsend
        wait waitpid waitid wait3 wait4;
}

/// Only who waits for the lock is cancelled.
fn lock(name: &str, command: i32, call: impl FnOnce() -> i32) -> i32 {
    if running().is_some() {
        if command == libc::F_LOCK {
            cancellation::point();
        }
        kernel::isolate(name);
    }
    call()
}

#[entry]
pub extern "C" fn lockf(file: i32, command: i32, len: i64) -> i32 {
    lock("lockf", command, || real!(lockf(file => i32, command => i32, len => i64) -> i32))
}

#[entry]
pub extern "C" fn lockf64(file: i32, command: i32, len: i64) -> i32 {
    lock("lockf64", command, || real!(lockf64(file => i32, command => i32, len => i64) -> i32))
}
