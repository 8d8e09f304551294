//! The older functions of signal.h, said in terms of the newer ones. libc's would ask the
//! kernel, whose masks are not the program's here.

use super::{
    handlers::{self, sigaction},
    real, set_errno, signalling,
};
use crate::{execution::running, kernel::handlers::mask};
use leno_entry::entry;
use libc::{EINVAL, SA_NODEFER, SA_RESETHAND, SA_RESTART, SIG_BLOCK, SIG_SETMASK, SIG_UNBLOCK};

const SIG_HOLD: usize = 2;
const FAILED: usize = usize::MAX;

/// The set with this signal alone; none if there is no such signal.
fn only(number: i32) -> Option<u64> {
    let is_one = (1..=64).contains(&number);
    if !is_one {
        set_errno(EINVAL);
    }
    is_one.then(|| 1 << (number - 1))
}

/// Changes the mask by this set and gives what it was. What is no longer blocked takes place
/// before the function returns, so that its result is not the handler's.
fn change(how: i32, set: u64) -> u64 {
    let before = *mask();
    signalling::set_mask_at_once(match how {
        SIG_BLOCK => before | set,
        SIG_UNBLOCK => before & !set,
        _ => set,
    });
    before
}

fn hold(how: i32, number: i32) -> i32 {
    only(number).map_or(-1, |set| {
        change(how, set);
        0
    })
}

/// Changes what the signal does, by `new`; gives what it did before.
fn set_action(number: i32, new: impl FnOnce(&mut libc::sigaction)) -> usize {
    // SAFETY: structures of ours, of which all zeros is one.
    unsafe {
        let (mut action, mut old): (libc::sigaction, libc::sigaction) = core::mem::zeroed();
        new(&mut action);
        if sigaction(number, &action, &mut old) < 0 { FAILED } else { old.sa_sigaction }
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sighold(number: i32) -> i32 {
    if running().is_none() {
        return real!(sighold(number => i32) -> i32);
    }
    hold(SIG_BLOCK, number)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigrelse(number: i32) -> i32 {
    if running().is_none() {
        return real!(sigrelse(number => i32) -> i32);
    }
    hold(SIG_UNBLOCK, number)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigignore(number: i32) -> i32 {
    if running().is_none() {
        return real!(sigignore(number => i32) -> i32);
    }
    let old = set_action(number, |action| action.sa_sigaction = libc::SIG_IGN);
    if old == FAILED { -1 } else { 0 }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigset(number: i32, handler: usize) -> usize {
    if running().is_none() {
        return real!(sigset(number => i32, handler => usize) -> usize);
    }
    let Some(set) = only(number) else { return FAILED };
    let old = match handler {
        SIG_HOLD => {
            // SAFETY: a structure of ours, of which all zeros is one.
            unsafe {
                let mut old: libc::sigaction = core::mem::zeroed();
                let failed = sigaction(number, core::ptr::null(), &mut old) < 0;
                if failed { FAILED } else { old.sa_sigaction }
            }
        }
        _ => set_action(number, |action| action.sa_sigaction = handler),
    };
    if old == FAILED {
        return FAILED;
    }
    let how = if handler == SIG_HOLD { SIG_BLOCK } else { SIG_UNBLOCK };
    if change(how, set) & set != 0 { SIG_HOLD } else { old }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn bsd_signal(number: i32, handler: usize) -> usize {
    // SAFETY: the same by another name.
    unsafe { handlers::signal(number, handler) }
}

/// What `signal` is for strict C.
///
/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn __sysv_signal(number: i32, handler: usize) -> usize {
    if running().is_none() {
        return real!(__sysv_signal(number => i32, handler => usize) -> usize);
    }
    set_action(number, |action| {
        action.sa_sigaction = handler;
        action.sa_flags = SA_RESETHAND | SA_NODEFER;
    })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sysv_signal(number: i32, handler: usize) -> usize {
    // SAFETY: the same by another name.
    unsafe { __sysv_signal(number, handler) }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn siginterrupt(number: i32, interrupts: i32) -> i32 {
    if running().is_none() {
        return real!(siginterrupt(number => i32, interrupts => i32) -> i32);
    }
    // SAFETY: a structure of ours, of which all zeros is one.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        if sigaction(number, core::ptr::null(), &mut action) < 0 {
            return -1;
        }
        match interrupts {
            0 => action.sa_flags |= SA_RESTART,
            _ => action.sa_flags &= !SA_RESTART,
        }
        sigaction(number, &action, core::ptr::null_mut())
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigblock(mask: i32) -> i32 {
    if running().is_none() {
        return real!(sigblock(mask => i32) -> i32);
    }
    change(SIG_BLOCK, u64::from(mask as u32)) as i32
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigsetmask(mask: i32) -> i32 {
    if running().is_none() {
        return real!(sigsetmask(mask => i32) -> i32);
    }
    change(SIG_SETMASK, u64::from(mask as u32)) as i32
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn siggetmask() -> i32 {
    if running().is_none() {
        return real!(siggetmask() -> i32);
    }
    *mask() as i32
}

/// `sigpause` as POSIX has it: waits for a handler to run, with this signal let through.
///
/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn __xpg_sigpause(number: i32) -> i32 {
    if running().is_none() {
        return real!(__xpg_sigpause(number => i32) -> i32);
    }
    let Some(set) = only(number) else { return -1 };
    let mask = *mask() & !set;
    // SAFETY: a set, of which the first word has all signals.
    unsafe { signalling::sigsuspend(&mask) }
}
