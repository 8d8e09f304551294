//! Cancellation, at the cancellation points that are modelled.
//!
//! A request is a post of a semaphore that belongs to its target, and a cancellation
//! point tries that semaphore. Where a point has to wait, the search chooses beforehand
//! by what the wait is to end: by what it waits for, or by a request, which is then
//! waited for in its place. Either is an assumption if the other comes and it does not;
//! the director is told (`Arrival::cancel`). So nobody ever waits for two things.
//!
//! All this happens only to threads that another thread cancels in some execution.
//! Cancellation is deferred: a thread that can be cancelled asynchronously is refused.
//! A cancelled thread unwinds as `pthread_exit` does it, with its handlers.

use super::{
    real,
    refused::refuse,
    words::{self, Word},
};
use crate::{
    execution::{
        Patience, call_site, current_thread, event, event_patient, may_happen, private, running,
    },
    fiber, hooks,
};
use leno_entry::entry;
use leno_model::{Event, Op, Outcome, SiteRef, ThreadId};

/// As in pthread.h.
const ENABLE: i32 = 0;
const DISABLE: i32 = 1;
const DEFERRED: i32 = 0;
const ASYNCHRONOUS: i32 = 1;
const CANCELED: *mut libc::c_void = usize::MAX as *mut libc::c_void;

/// The running thread's semaphore, if another thread may cancel it and it lets itself be
/// cancelled.
fn requests() -> Option<u64> {
    let me = current_thread()?;
    let word = words::word(me, Word::Cancel);
    // Who cannot be cancelled now has to do with it all the same.
    let shared = words::is_shared(word);
    (shared && running()?.thread().cancellable).then_some(word)
}

/// A cancellation point that does not wait, or the beginning of one that does.
pub fn point() {
    let Some(x) = running() else { return };
    if x.thread().cancellable && x.thread().cancels_itself {
        act();
    }
    let Some(sem) = requests() else {
        // A thread that comes by for ever is found out as one that waits in a loop.
        return private(call_site(), &words::read(words::word(x.current(), Word::Cancel)));
    };
    let tried = event(Op::SemTryWait { sem }, &[], call_site());
    if tried.outcome == Outcome::Acquired(true) {
        act();
    }
}

/// Waits at a cancellation point: by `wait`, with the patience that ends it otherwise.
/// `leave` undoes what the beginning of the wait did, if the thread is cancelled.
pub fn wait(
    timed: bool,
    site: SiteRef,
    wait: impl FnOnce(Patience) -> Event,
    leave: impl FnOnce(),
) -> Event {
    let Some(sem) = requests() else { return wait(Patience { timed, cancel: None }) };
    if may_happen(site) {
        let timed_out = Patience { timed: true, cancel: None };
        event_patient(Op::SemWait { sem }, &[], site, timed_out);
        leave();
        act();
    }
    wait(Patience { timed, cancel: Some(sem) })
}

/// Whether a wait may also end by a request: then it is worth an attempt beforehand.
pub fn is_awaited() -> bool {
    requests().is_some()
}

/// The running thread is cancelled: it unwinds from here. When a handler of the program's runs,
/// the runtime's stack has been left for good.
fn act() -> ! {
    let thread = running().expect("in an execution").thread();
    thread.cancellable = false;
    thread.result = CANCELED;
    real!(pthread_exit(CANCELED => *mut libc::c_void) -> ());
    unreachable!("pthread_exit returned")
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_cancel(handle: u64) -> i32 {
    let Some(x) = running() else {
        return real!(pthread_cancel(handle => u64) -> i32);
    };
    let Some(target) = fiber::of_handle(handle) else { return libc::ESRCH };
    if x.thread_numbered(target).is_none() {
        return libc::ESRCH;
    }
    super::threads::require_lifetime(target, "cancels");
    if current_thread() == Some(target) {
        x.thread().cancels_itself = true;
        if x.thread().asynchronous && x.thread().cancellable {
            act();
        }
        return 0;
    }
    request(target);
    0
}

fn request(target: ThreadId) {
    let sem = words::word(target, Word::Cancel);
    words::is_shared(sem);
    event(Op::SemPost { sem }, &[], call_site());
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_setcancelstate(state: i32, old: *mut i32) -> i32 {
    let Some(x) = running() else {
        return real!(pthread_setcancelstate(state => i32, old => *mut i32) -> i32);
    };
    if state != ENABLE && state != DISABLE {
        return libc::EINVAL;
    }
    let before = core::mem::replace(&mut x.thread().cancellable, state == ENABLE);
    super::store(old, if before { ENABLE } else { DISABLE });
    refuse_asynchronous();
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_setcanceltype(kind: i32, old: *mut i32) -> i32 {
    let Some(x) = running() else {
        return real!(pthread_setcanceltype(kind => i32, old => *mut i32) -> i32);
    };
    if kind != DEFERRED && kind != ASYNCHRONOUS {
        return libc::EINVAL;
    }
    let before = core::mem::replace(&mut x.thread().asynchronous, kind == ASYNCHRONOUS);
    super::store(old, if before { ASYNCHRONOUS } else { DEFERRED });
    refuse_asynchronous();
    0
}

/// A thread that another one cancels in some execution can be so at any instruction.
fn refuse_asynchronous() {
    let x = running().expect("in an execution");
    if x.thread().asynchronous && x.thread().cancellable {
        if x.thread().cancels_itself {
            act();
        }
        // It may wait for that in a loop without any hook.
        let told = hooks::__leno_unroll.get();
        *told = (*told).max(1);
        if requests().is_some() {
            refuse("pthread_cancel of a thread that can be cancelled asynchronously");
        }
    }
}

#[entry]
pub extern "C" fn pthread_testcancel() {
    point();
}
