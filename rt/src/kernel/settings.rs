//! Settings of the process: its directory, the mask for new files' permissions, its
//! timers, the mask of signals and the stack for their handlers.

use super::listing;
use crate::{cell::Global, sys};

struct Settings {
    directory: Option<i32>,
    umask: u64,
    signal_mask: u64,
    signal_stack: libc::stack_t,
}

static SETTINGS: Global<Option<Settings>> = Global::new(None);

fn call(number: i64, args: [u64; 4]) -> i64 {
    // SAFETY: the calls below write to places of ours only.
    unsafe { sys::call(number, [args[0], args[1], args[2], args[3], 0, 0]) }
}

pub fn keep() {
    let umask = call(libc::SYS_umask, [0; 4]) as u64;
    call(libc::SYS_umask, [umask, 0, 0, 0]);
    let mut signal_mask = 0u64;
    call(libc::SYS_rt_sigprocmask, [0, 0, &raw mut signal_mask as u64, 8]);
    let mut signal_stack = libc::stack_t { ss_sp: core::ptr::null_mut(), ss_flags: 0, ss_size: 0 };
    call(libc::SYS_sigaltstack, [0, &raw mut signal_stack as u64, 0, 0]);
    *SETTINGS.get() = Some(Settings {
        directory: listing::open(c".", libc::O_PATH | libc::O_DIRECTORY),
        umask,
        signal_mask,
        signal_stack,
    });
}

pub fn put_back() {
    let settings = SETTINGS.get().as_ref().expect("kept before the first execution");
    if let Some(directory) = settings.directory {
        call(libc::SYS_fchdir, [directory as u64, 0, 0, 0]);
    }
    call(libc::SYS_umask, [settings.umask, 0, 0, 0]);
    // SAFETY: all zeros is a timer that does not run.
    let stopped: libc::itimerval = unsafe { core::mem::zeroed() };
    for timer in [libc::ITIMER_REAL, libc::ITIMER_VIRTUAL, libc::ITIMER_PROF] {
        call(libc::SYS_setitimer, [timer as u64, &raw const stopped as u64, 0, 0]);
    }
    let mask = &raw const settings.signal_mask as u64;
    call(libc::SYS_rt_sigprocmask, [libc::SIG_SETMASK as u64, mask, 0, 8]);
    call(libc::SYS_sigaltstack, [&raw const settings.signal_stack as u64, 0, 0, 0]);
}
