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
        accept accept4 connect msgrcv msgsnd lockf lockf64;
}
