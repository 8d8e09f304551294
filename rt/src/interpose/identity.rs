//! Numbers of processes.
//!
//! An isolated execution is a process of its own, and its number another one each time.
//! The program is told that of the host instead, so that it is the same in every
//! execution, and in both modes. Who hands that number back means the execution's
//! process. (It has no children: `fork` is refused.)

use super::real;
use crate::{cell::Global, sys};
use leno_entry::entry;

/// The number that the program is told, and its parent's.
static TOLD: Global<(i32, i32)> = Global::new((0, 0));
/// The process that runs executions.
static OWN: Global<i32> = Global::new(0);

fn ask(number: i64) -> i32 {
    // SAFETY: calls without arguments.
    unsafe { sys::call(number, [0; 6]) as i32 }
}

/// In the host, before the first execution.
pub fn keep() {
    *TOLD.get() = (ask(libc::SYS_getpid), ask(libc::SYS_getppid));
    *OWN.get() = TOLD.get().0;
}

/// In the process that is to run one execution.
pub fn begin_child() {
    *OWN.get() = ask(libc::SYS_getpid);
}

/// The process that runs executions.
pub fn process() -> i32 {
    *OWN.get()
}

/// What the program is to know a process by.
fn told(process: i32) -> i32 {
    if process == *OWN.get() { TOLD.get().0 } else { process }
}

/// The process that the program means.
pub fn meant(process: i32) -> i32 {
    if process == TOLD.get().0 { *OWN.get() } else { process }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn getpid() -> i32 {
    if TOLD.get().0 == 0 { ask(libc::SYS_getpid) } else { TOLD.get().0 }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn getppid() -> i32 {
    if TOLD.get().0 == 0 { ask(libc::SYS_getppid) } else { TOLD.get().1 }
}

/// The process of an isolated execution leads a group of its own, as the host does.
///
/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn getpgrp() -> i32 {
    told(ask(libc::SYS_getpgrp))
}

/// Functions that are given a process or a group of processes. `restart.rs` of the driver
/// says which of them stand in the way of a restart in place.
macro_rules! of_a_process {
    ($($name:ident ( $($before:ident),* ; $($after:ident),* ))*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name($($before: u64,)* process: i32, $($after: u64),*) -> i32 {
            let process = meant(process);
            real!($name($($before => u64,)* process => i32 $(, $after => u64)*) -> i32)
        }
    )*};
}

of_a_process! {
    killpg(; signal)
    setpgid(; group)
    prlimit(; which, new, old)
    prlimit64(; which, new, old)
    getpriority(kind ;)
    setpriority(kind ; priority)
    sched_getaffinity(; size, set)
    sched_setaffinity(; size, set)
    sched_getparam(; parameters)
    sched_setparam(; parameters)
    sched_getscheduler(;)
    sched_setscheduler(; policy, parameters)
    sched_rr_get_interval(; interval)
}

/// The same, where the result is a process too.
macro_rules! gives_a_process {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name(process: i32) -> i32 {
            let process = meant(process);
            told(real!($name(process => i32) -> i32))
        }
    )*};
}

gives_a_process! { getpgid getsid }
