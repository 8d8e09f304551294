//! Signals that threads send to each other or to themselves.
//!
//! A thread that signals itself runs its handler at once, as a call. What the signal does
//! to another thread is known if it needs no handler: nothing, or the end of the process,
//! which is a crash. A handler in another thread could run between any two of its
//! instructions, and is refused.

use super::{attributes, real, refused::refuse};
use crate::{
    execution::{self, call_site, current_thread, running},
    signals,
    trace::FailureText,
};
use leno_model::Property;

type Handler = extern "C" fn(i32);
type Informed = extern "C" fn(i32, *const libc::siginfo_t, *const libc::c_void);

const LAST: i32 = 64;

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_kill(handle: u64, number: i32) -> i32 {
    if running().is_none() {
        return real!(pthread_kill(handle => u64, number => i32) -> i32);
    }
    let Some(thread) = attributes::thread_of(handle) else { return libc::ESRCH };
    if !(0..=LAST).contains(&number) {
        return libc::EINVAL;
    }
    if number != 0 {
        send(number, current_thread() == Some(thread));
    }
    0
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raise(number: i32) -> i32 {
    if running().is_none() {
        return real!(raise(number => i32) -> i32);
    }
    if !(1..=LAST).contains(&number) {
        super::set_errno(libc::EINVAL);
        return -1;
    }
    send(number, true);
    0
}

/// Nobody would continue it.
const STOPPING: [i32; 4] = [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];

fn send(number: i32, to_itself: bool) {
    // SAFETY: plain use of libc's functions on objects of our own.
    let (action, blocked) = unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        libc::sigaction(number, core::ptr::null(), &mut action);
        let mut mask: libc::sigset_t = core::mem::zeroed();
        libc::sigprocmask(libc::SIG_BLOCK, core::ptr::null(), &mut mask);
        (action, libc::sigismember(&mask, number) == 1)
    };
    let ignored = [libc::SIGCHLD, libc::SIGCONT, libc::SIGURG, libc::SIGWINCH];
    match action.sa_sigaction {
        libc::SIG_IGN => {}
        libc::SIG_DFL if ignored.contains(&number) => {}
        libc::SIG_DFL if STOPPING.contains(&number) => refuse("a signal that stops the process"),
        _ if blocked => refuse("a signal that is blocked"),
        default if default == libc::SIG_DFL || signals::is_ours(default) => ends(number),
        _ if !to_itself => refuse("a signal to another thread, which has a handler for it"),
        handler if action.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: the program's handler, which has this type.
            let handler: Informed = unsafe { core::mem::transmute(handler) };
            // SAFETY: all fields are integers.
            let mut info: libc::siginfo_t = unsafe { core::mem::zeroed() };
            info.si_signo = number;
            info.si_code = libc::SI_TKILL;
            handler(number, &info, core::ptr::null());
        }
        handler => {
            // SAFETY: the program's handler, which has this type.
            let handler: Handler = unsafe { core::mem::transmute(handler) };
            handler(number);
        }
    }
}

/// The signal ends the process: the thread that sends it has failed.
fn ends(number: i32) -> ! {
    let name = signals::name(number);
    let text = FailureText::Signal { number: number as u32, name, object: None };
    execution::fail(Property::Crash, number as u32, call_site(), text)
}
