//! Signals that threads send to each other, to the process or to themselves.
//!
//! A signal that its target has blocked is *pending*: it waits for the target to unblock
//! it, or to ask for it (`sigwait` and its like, `sigsuspend`, `pause`). What is pending for
//! a thread, with its mask, is a thing that sender and target have in common (see
//! `kernel::things`), and so is what is pending for the process; to ask for a signal is to
//! wait until the thing has one. A thread that signals itself, or unblocks what is pending,
//! runs the handler at once, as a call.
//!
//! A signal that is not blocked and needs no handler is known to do nothing, or to end the
//! process, which is a crash. One that would run a handler in *another* thread, between any
//! two of its instructions, is refused.

use super::{attributes, cancellation, handlers::touched_handler, real, refused::refuse};
use crate::{
    accesses::MOST,
    execution::{self, call_site, current_thread, event, event_patient, running},
    interpose::{
        set_errno, store, time,
        words::{self, Word},
    },
    kernel::{
        handlers::{self, Pending, bit},
        things::{self, Changes, Looks, Thing, thing},
    },
    signals, stacks,
    trace::FailureText,
};
use alloc::{format, vec::Vec};
use leno_entry::entry;
use leno_model::{AccessKind, Op, Outcome, Property, ThreadId};

type Set = *const u64;
type Info = *mut libc::siginfo_t;

const LAST: i32 = 64;

/// What a thread has pending, and its mask.
pub fn of_thread(thread: ThreadId) -> Thing {
    thing("signals of thread", format!("{}", thread.0).as_bytes())
}

/// What the process has pending.
pub fn of_process() -> Thing {
    thing("signals of", b"the process")
}

fn me() -> ThreadId {
    current_thread().unwrap_or(ThreadId::MAIN)
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn pthread_kill(handle: u64, number: i32) -> i32 {
    if running().is_none() {
        return real!(pthread_kill(handle => u64, number => i32) -> i32);
    }
    to_thread(handle, number, libc::SI_TKILL, 0)
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn pthread_sigqueue(handle: u64, number: i32, value: u64) -> i32 {
    if running().is_none() {
        return real!(pthread_sigqueue(handle => u64, number => i32, value => u64) -> i32);
    }
    to_thread(handle, number, libc::SI_QUEUE, value)
}

fn to_thread(handle: u64, number: i32, code: i32, value: u64) -> i32 {
    let Some(thread) = attributes::thread_of(handle) else { return libc::ESRCH };
    if !(0..=LAST).contains(&number) {
        return libc::EINVAL;
    }
    if number != 0 {
        send(Pending { target: Some(thread), number, code, value });
    }
    0
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn raise(number: i32) -> i32 {
    if running().is_none() {
        return real!(raise(number => i32) -> i32);
    }
    if !(1..=LAST).contains(&number) {
        set_errno(libc::EINVAL);
        return -1;
    }
    send(Pending { target: Some(me()), number, code: libc::SI_TKILL, value: 0 });
    0
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn kill(process: i32, number: i32) -> i32 {
    if running().is_none() {
        return real!(kill(process => i32, number => i32) -> i32);
    }
    to_process(process, number, libc::SI_USER, 0, "kill of another process or of a group")
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn sigqueue(process: i32, number: i32, value: u64) -> i32 {
    if running().is_none() {
        return real!(sigqueue(process => i32, number => i32, value => u64) -> i32);
    }
    to_process(process, number, libc::SI_QUEUE, value, "sigqueue to another process")
}

fn to_process(process: i32, number: i32, code: i32, value: u64, other: &str) -> i32 {
    // SAFETY: plain use of libc.
    if process != unsafe { libc::getpid() } {
        if number == 0 {
            return real!(kill(process => i32, number => i32) -> i32);
        }
        refuse(other);
    }
    if !(0..=LAST).contains(&number) {
        set_errno(libc::EINVAL);
        return -1;
    }
    if number != 0 {
        send(Pending { target: None, number, code, value });
    }
    0
}

/// Nobody would continue it.
const STOPPING: [i32; 4] = [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];
const IGNORED: [i32; 4] = [libc::SIGCHLD, libc::SIGCONT, libc::SIGURG, libc::SIGWINCH];

fn send(signal: Pending) {
    let number = signal.number;
    let candidates: Vec<ThreadId> = match signal.target {
        Some(thread) => alloc::vec![thread],
        None => running().expect("in an execution").alive().collect(),
    };
    let mut uses: Vec<(Thing, AccessKind)> = alloc::vec![(touched_handler(number), Looks)];
    match signal.target {
        Some(thread) => uses.push((of_thread(thread), Changes)),
        None => {
            uses.push((of_process(), Changes));
            uses.extend(candidates.iter().map(|thread| (of_thread(*thread), Looks)));
        }
    }
    if uses.len() > MOST {
        refuse("a signal to a process of so many threads");
    }
    things::exchange_all(&uses);
    let open = |thread: &ThreadId| *handlers::mask_of(*thread) & bit(number) == 0;
    let open: Vec<ThreadId> = candidates.into_iter().filter(open).collect();
    if open.is_empty() {
        handlers::pend(signal);
    } else if open == [me()] || !has_handler(number) {
        act(&signal);
    } else {
        refuse("a signal that would run a handler in another thread");
    }
}

fn action(number: i32) -> libc::sigaction {
    // SAFETY: plain use of libc's function on an object of our own.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        libc::sigaction(number, core::ptr::null(), &mut action);
        action
    }
}

fn has_handler(number: i32) -> bool {
    let handler = action(number).sa_sigaction;
    !matches!(handler, libc::SIG_IGN | libc::SIG_DFL) && !signals::is_ours(handler)
}

/// What the signal does to a thread that has not blocked it; if that is to run a handler,
/// the thread is the running one.
fn act(signal: &Pending) {
    let number = signal.number;
    let action = action(number);
    match action.sa_sigaction {
        libc::SIG_IGN => {}
        libc::SIG_DFL if IGNORED.contains(&number) => {}
        libc::SIG_DFL if STOPPING.contains(&number) => refuse("a signal that stops the process"),
        default if default == libc::SIG_DFL || signals::is_ours(default) => ends(number),
        handler => {
            let mask = *handlers::mask();
            // SAFETY: the first word of a set has all signals.
            let blocked = unsafe { *(&raw const action.sa_mask).cast::<u64>() };
            let itself = if action.sa_flags & libc::SA_NODEFER == 0 { bit(number) } else { 0 };
            *handlers::mask() |= blocked | itself;
            if action.sa_flags & libc::SA_RESETHAND != 0 {
                // SAFETY: plain use of libc.
                unsafe { libc::signal(number, libc::SIG_DFL) };
            }
            stacks::call(handler, [number as u64, 0, 0], handled, [mask, 0]);
            if action.sa_flags & libc::SA_SIGINFO != 0 {
                stacks::pass(signal.info());
            }
        }
    }
}

/// A handler has returned: the thread has the mask again that it had before.
extern "C" fn handled(_: u64, mask: u64, _: u64) -> u64 {
    set_mask(mask);
    0
}

/// The signal ends the process: the thread that sends it has failed.
fn ends(number: i32) -> ! {
    let name = signals::name(number);
    let text = FailureText::Signal { number: number as u32, name, object: None };
    execution::fail(Property::Crash, number as u32, call_site(), text)
}

/// The running thread's mask becomes another one, and what is pending and no longer blocked
/// takes place: the last of it when the runtime returns to the program.
pub fn set_mask(new: u64) {
    // These two cannot be blocked.
    let new = new & !(bit(libc::SIGKILL) | bit(libc::SIGSTOP));
    things::touch_if(&[(of_thread(me()), Changes), (of_process(), Looks)], || {
        core::mem::replace(handlers::mask(), new) != new
    });
    while !stacks::calls() && handlers::pending(me()) & !*handlers::mask() != 0 {
        let mut taken = None;
        things::try_exchange(&[of_thread(me()), of_process()], || {
            taken = handlers::take(me(), !*handlers::mask());
            taken.is_some()
        });
        if let Some(signal) = taken {
            act(&signal);
        }
    }
}

/// Waits for one of these signals to be pending, and takes it.
fn take(set: u64) -> Pending {
    let mut taken = None;
    things::exchange_when(&[of_thread(me()), of_process()], || {
        taken = handlers::take(me(), set);
        taken.is_some()
    });
    taken.expect("it was there")
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigwait(set: Set, number: *mut i32) -> i32 {
    if running().is_none() {
        return real!(sigwait(set => Set, number => *mut i32) -> i32);
    }
    cancellation::point();
    // SAFETY: the program's own set.
    let signal = take(unsafe { *set });
    store(number, signal.number);
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigwaitinfo(set: Set, info: Info) -> i32 {
    if running().is_none() {
        return real!(sigwaitinfo(set => Set, info => Info) -> i32);
    }
    cancellation::point();
    // SAFETY: the program's own set.
    let signal = take(unsafe { *set });
    store(info, signal.info());
    signal.number
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigtimedwait(set: Set, info: Info, limit: *const libc::timespec) -> i32 {
    if running().is_none() {
        return real!(sigtimedwait(set => Set, info => Info, limit => *const libc::timespec) -> i32);
    }
    cancellation::point();
    // SAFETY: the program's own structures.
    let (set, at_once) = unsafe {
        (*set, limit.as_ref().is_some_and(|limit| limit.tv_sec == 0 && limit.tv_nsec == 0))
    };
    let things = [of_thread(me()), of_process()];
    loop {
        let mut taken = None;
        things::try_exchange(&things, || {
            taken = handlers::take(me(), set);
            taken.is_some()
        });
        if let Some(signal) = taken {
            store(info, signal.info());
            return signal.number;
        }
        // Who chooses to wait on, and waits in vain, has chosen wrongly.
        let on = Op::Choose { alternatives: 2 };
        if at_once || event(on, &[], call_site()).outcome == Outcome::Chosen(1) {
            time::pass();
            set_errno(libc::EAGAIN);
            return -1;
        }
        things::require_shared(&things);
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigpending(set: *mut u64) -> i32 {
    if running().is_none() {
        return real!(sigpending(set => *mut u64) -> i32);
    }
    things::touch(&[(of_thread(me()), Looks), (of_process(), Looks)]);
    store(set, handlers::pending(me()) & *handlers::mask());
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pause() -> i32 {
    if running().is_none() {
        return real!(pause() -> i32);
    }
    cancellation::point();
    let (sem, site) = (words::word(me(), Word::Signal), call_site());
    let wait = |patience| event_patient(Op::SemWait { sem }, &[], site, patience);
    cancellation::wait(false, site, wait, || {});
    set_errno(libc::EINTR);
    -1
}
