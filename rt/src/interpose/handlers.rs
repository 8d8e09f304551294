//! Signal handlers and masks: see `kernel::handlers`.

use super::{real, set_errno, signalling};
use crate::{
    execution::running,
    kernel::{
        handlers,
        things::{Changes, Thing, thing, touch},
    },
};
use leno_entry::entry;

type Action = libc::sigaction;

/// What a signal does, as a thing.
pub fn touched_handler(number: i32) -> Thing {
    thing("handler of signal", alloc::format!("{number}").as_bytes())
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigaction(number: i32, new: *const Action, old: *mut Action) -> i32 {
    if running().is_none() {
        return real!(sigaction(number => i32, new => *const Action, old => *mut Action) -> i32);
    }
    touch(&[(touched_handler(number), Changes)]);
    if number == libc::SIGSEGV {
        // SAFETY: the program's own structures, where there are any.
        unsafe {
            if !old.is_null() {
                // All zeros is the default action.
                *old = handlers::fault().unwrap_or(core::mem::zeroed());
            }
            if let Some(new) = new.as_ref() {
                *handlers::fault() = Some(*new);
            }
        }
        return 0;
    }
    if !new.is_null() {
        handlers::changing(number);
    }
    real!(sigaction(number => i32, new => *const Action, old => *mut Action) -> i32)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn signal(number: i32, handler: usize) -> usize {
    if running().is_none() {
        return real!(signal(number => i32, handler => usize) -> usize);
    }
    // SAFETY: plain use of the function above with structures of ours.
    unsafe {
        let (mut new, mut old): (Action, Action) = core::mem::zeroed();
        new.sa_sigaction = handler;
        new.sa_flags = libc::SA_RESTART;
        if sigaction(number, &new, &mut old) < 0 { usize::MAX } else { old.sa_sigaction }
    }
}

/// Changes the running thread's mask; gives an error number.
fn change_mask(how: i32, new: *const u64, old: *mut u64) -> i32 {
    let mut mask = *handlers::mask();
    // SAFETY: the program's own sets, of which the first word has all signals.
    unsafe {
        let new = new.as_ref().copied();
        if !old.is_null() {
            *old = mask;
        }
        match (how, new) {
            (_, None) => return 0,
            (libc::SIG_BLOCK, Some(new)) => mask |= new,
            (libc::SIG_UNBLOCK, Some(new)) => mask &= !new,
            (libc::SIG_SETMASK, Some(new)) => mask = new,
            _ => return libc::EINVAL,
        }
    }
    signalling::set_mask(mask);
    0
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn pthread_sigmask(how: i32, new: *const u64, old: *mut u64) -> i32 {
    if running().is_none() {
        return real!(pthread_sigmask(how => i32, new => *const u64, old => *mut u64) -> i32);
    }
    change_mask(how, new, old)
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn sigprocmask(how: i32, new: *const u64, old: *mut u64) -> i32 {
    if running().is_none() {
        return real!(sigprocmask(how => i32, new => *const u64, old => *mut u64) -> i32);
    }
    match change_mask(how, new, old) {
        0 => 0,
        error => {
            set_errno(error);
            -1
        }
    }
}
