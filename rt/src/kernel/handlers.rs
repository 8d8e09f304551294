//! Signal handlers and masks.
//!
//! Handlers belong to the process: those that an execution has changed are put back.
//! The handler for faults stays the runtime's, which needs it; the program's is kept
//! here and called by it. Masks belong to threads, and threads are fibers of one kernel
//! thread: each has its mask here, and the kernel's is not changed.

use crate::{cell::Global, execution::current_thread, sys};
use alloc::vec::Vec;
use hashbrown::HashMap;
use leno_model::ThreadId;

/// The kernel's form of an action: handler, flags, restorer, mask.
type Action = [u64; 4];

#[derive(Default)]
struct Handlers {
    /// Signals with a changed handler, and what they had before.
    changed: Vec<(i32, Action)>,
    /// The program's handler for SIGSEGV.
    fault: Option<libc::sigaction>,
    masks: HashMap<u32, u64>,
    pending: Vec<Pending>,
}

/// A signal that its target has blocked, or the process, if it has none.
#[derive(Clone, Copy)]
pub struct Pending {
    pub target: Option<ThreadId>,
    pub number: i32,
    /// What its receiver is told.
    pub code: i32,
    pub value: u64,
}

impl Pending {
    pub fn info(&self) -> libc::siginfo_t {
        // SAFETY: all fields are integers. Sender and value follow the first four words.
        unsafe {
            let mut info: libc::siginfo_t = core::mem::zeroed();
            (info.si_signo, info.si_code) = (self.number, self.code);
            let words = (&raw mut info).cast::<u32>();
            words.add(4).write(libc::getpid() as u32);
            words.add(5).write(libc::getuid());
            words.add(6).cast::<u64>().write(self.value);
            info
        }
    }
}

/// A signal in a set.
pub fn bit(number: i32) -> u64 {
    1 << (number - 1)
}

static HANDLERS: Global<Option<Handlers>> = Global::new(None);

fn handlers() -> &'static mut Handlers {
    HANDLERS.get().get_or_insert_with(Handlers::default)
}

/// An execution begins.
pub fn begin() {
    let handlers = handlers();
    handlers.fault = None;
    handlers.masks.clear();
    handlers.pending.clear();
}

pub fn put_back() {
    for (number, action) in handlers().changed.drain(..) {
        let action = action.as_ptr() as u64;
        // SAFETY: gives back what the kernel had.
        unsafe { sys::call(libc::SYS_rt_sigaction, [number as u64, action, 0, 8, 0, 0]) };
    }
}

/// A signal's handler is about to be changed.
pub fn changing(number: i32) {
    let handlers = handlers();
    if handlers.changed.iter().any(|(changed, _)| *changed == number) {
        return;
    }
    let mut action: Action = [0; 4];
    let place = action.as_mut_ptr() as u64;
    // SAFETY: the kernel writes `action` only.
    let known = unsafe { sys::call(libc::SYS_rt_sigaction, [number as u64, 0, place, 8, 0, 0]) };
    if known == 0 {
        handlers.changed.push((number, action));
    }
}

/// The program's handler for faults, where it has set one.
pub fn fault() -> &'static mut Option<libc::sigaction> {
    &mut handlers().fault
}

/// The running thread's mask.
pub fn mask() -> &'static mut u64 {
    mask_of(current_thread().unwrap_or(ThreadId::MAIN))
}

pub fn mask_of(thread: ThreadId) -> &'static mut u64 {
    handlers().masks.entry(thread.0).or_insert(0)
}

/// A signal becomes pending. Only real-time signals are kept more than once.
pub fn pend(signal: Pending) {
    let pending = &mut handlers().pending;
    let same = |p: &Pending| (p.target, p.number) == (signal.target, signal.number);
    if signal.number >= libc::SIGRTMIN() || !pending.iter().any(same) {
        pending.push(signal);
    }
}

fn is_for(thread: ThreadId, signal: &Pending) -> bool {
    signal.target.is_none_or(|target| target == thread)
}

/// What is pending for a thread or for the process.
pub fn pending(thread: ThreadId) -> u64 {
    let of_thread = handlers().pending.iter().filter(|signal| is_for(thread, signal));
    of_thread.fold(0, |set, signal| set | bit(signal.number))
}

/// Whether a signal is pending for this thread alone.
pub fn any_for(thread: ThreadId) -> bool {
    handlers().pending.iter().any(|signal| signal.target == Some(thread))
}

/// Takes a pending signal of a set: the lowest, of these the thread's own, of these the
/// first.
pub fn take(thread: ThreadId, set: u64) -> Option<Pending> {
    let pending = &mut handlers().pending;
    let all = pending.iter().enumerate();
    let fits = |signal: &Pending| is_for(thread, signal) && set & bit(signal.number) != 0;
    let place = all
        .filter(|(_, signal)| fits(signal))
        .min_by_key(|(place, signal)| (signal.number, signal.target.is_none(), *place))?
        .0;
    Some(pending.remove(place))
}

/// A new thread has its creator's mask.
pub fn inherit(child: ThreadId) {
    let mask = *mask();
    handlers().masks.insert(child.0, mask);
}
